"""A Jupyter server whose JupyterLab is the one in site/, built from npm.

All else, such as the port, the token and the folder of notebooks, is said on the
command line by notebooks/run/labtest.go.
"""
from pathlib import Path

from jupyterlab_server import LabServerApp

here = Path(__file__).resolve().parent
site = here / "site"


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


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": Lab}]


if __name__ == "__main__":
    Lab.launch_instance()
