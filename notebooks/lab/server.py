"""A Jupyter server whose JupyterLab is the one in site/, built from npm.

All else, such as the port, the token and the folder of notebooks, is said on the
command line by notebooks/run.
"""
from pathlib import Path

import jupyter_server
from jupyter_server.base.handlers import APIHandler
from jupyterlab_server import LabServerApp
from tornado import web, websocket

here = Path(__file__).resolve().parent
site = here / "site"


class Me(APIHandler):
    """Who is there. Debian's server is older than JupyterLab's question."""

    @web.authenticated
    def get(self):
        user = {"username": "me", "name": "me", "display_name": "me", "initials": "me"}
        self.finish({"identity": {**user, "color": None, "avatar_url": None}, "permissions": {}})


class Events(websocket.WebSocketHandler):
    """The events that an older server does not have: none ever come."""

    def on_message(self, message):
        pass


class Lab(LabServerApp):
    name = __name__
    app_name = "JupyterLab"
    app_version = "4.6.6"
    load_other_extensions = False
    extension_url = app_url = "/lab"
    templates_dir = str(here)
    static_dir = str(site / "static")
    schemas_dir = str(site / "schemas")
    themes_dir = str(site / "themes")
    app_settings_dir = str(site / "settings")
    labextensions_path = []  # none of the machine's own

    def initialize_handlers(self):
        if jupyter_server.version_info[0] < 2:  # later ones answer themselves
            self.handlers += [("/api/me", Me), ("/api/events/subscribe", Events)]
        super().initialize_handlers()


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": Lab}]


if __name__ == "__main__":
    Lab.launch_instance()
