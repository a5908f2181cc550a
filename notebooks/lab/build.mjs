// Makes site/ from node_modules: JupyterLab with the extensions that package.json
// lists, as one script, and beside it what the server hands out by itself, the
// schemas of the settings and the theme.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rspack } from '@rspack/core';

const root = import.meta.dirname;
const modules = join(root, 'node_modules');
const site = join(root, 'site');
const theme = '@jupyterlab/theme-light-extension';

const readJSON = file => JSON.parse(readFileSync(file, 'utf8'));
const extensions = Object.keys(readJSON(join(root, 'package.json')).dependencies).filter(name => name.endsWith('-extension'));

// The script that starts JupyterLab. Completion by a language server is left out:
// Debian's server has none, and the kernel answers completion itself. So is what belongs
// to consoles, of which there are none here.
function startScript() {
  const script = ["import { JupyterLab } from '@jupyterlab/application';"];
  for (const [i, name] of extensions.entries()) {
    if (existsSync(join(modules, name, 'style', 'index.js'))) {
      script.push(`import '${name}/style/index.js';`);
    }
    script.push(`import extension${i} from '${name}';`);
  }
  script.push(
    'const lab = new JupyterLab();',
    `for (const plugin of [${extensions.map((_, i) => `extension${i}`)}].flat()) {`,
    "  if (!/:(language-server|consoles)$/.test(plugin.id)) lab.registerPlugin(plugin);",
    '}',
    'window.lab = lab; // for the driver',
    'window.labStarted = lab.start().then(() => lab.restored);'
  );
  return script.join('\n');
}

rmSync(site, { recursive: true, force: true });
mkdirSync(site);
writeFileSync(join(site, 'start.mjs'), startScript());
for (const name of extensions) {
  const { schemaDir } = readJSON(join(modules, name, 'package.json')).jupyterlab ?? {};
  if (schemaDir) {
    cpSync(join(modules, name, schemaDir), join(site, 'schemas', name), { recursive: true });
  }
}
mkdirSync(join(site, 'settings'));
writeFileSync(join(site, 'settings', 'overrides.json'), JSON.stringify({
  '@jupyterlab/apputils-extension:notification': { fetchNews: 'false', checkForUpdates: false }, // asks nobody
  '@jupyterlab/docmanager-extension:plugin': { defaultViewers: { markdown: 'Markdown Preview' } }, // INDEX.md, the solutions
}));

const shared = {
  mode: 'development', // half the time of a build that is made small
  devtool: false,
  context: root,
  experiments: { css: true },
  module: {
    rules: [
      { test: /\.m?js$/, resolve: { fullySpecified: false } },
      { test: /\.css$/, exclude: /\.raw\.css$/, type: 'css/auto' },
      { test: /\.raw\.css$/, type: 'asset/source' },
      { test: /\.svg$/, issuer: /\.js$/, type: 'asset/source' },
      { test: /\.svg(\?|$)/, issuer: /\.css$/, type: 'asset/inline' },
      { test: /\.(png|gif|jpe?g|woff2?|ttf|eot)(\?|$)/, type: 'asset/resource' },
    ],
  },
};
const node = ['buffer', 'crypto', 'path', 'process', 'stream', 'url', 'util']; // a browser has none of them
const builds = [
  {
    ...shared,
    entry: { lab: join(site, 'start.mjs') },
    output: { path: join(site, 'static'), filename: '[name].js', cssFilename: '[name].css', publicPath: 'auto' },
    resolve: { fallback: Object.fromEntries(node.map(name => [name, false])) },
    plugins: [new rspack.DefinePlugin({ process: { env: {}, cwd: () => '/' } })],
  },
  {
    ...shared,
    entry: { index: join(modules, theme, 'style', 'theme.css') },
    output: { path: join(site, 'themes', theme), cssFilename: '[name].css' },
  },
];

rspack(builds, (error, stats) => {
  if (error) throw error;
  if (stats.hasErrors()) {
    console.error(stats.toString('errors-only'));
    process.exitCode = 1;
  }
});
