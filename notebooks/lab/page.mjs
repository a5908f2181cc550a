// JupyterLab as somebody at the screen sees and handles it.
import { join } from 'node:path';
import { chromium } from 'playwright-core';

// How long a state is waited for before it counts as not reached. A busy machine takes many
// times what an idle one does.
const patience = 5 * 60_000;

// open starts the browser and waits for JupyterLab to be there.
export async function open({ browser: executablePath, sandbox, url }) {
  const browser = await chromium.launch({
    executablePath,
    chromiumSandbox: sandbox,
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  });
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
  page.setDefaultTimeout(patience);
  await page.goto(url);
  await page.waitForFunction(() => window.labStarted);
  await page.evaluate(() => window.labStarted);
  return { browser, page };
}

// Notebook is the notebook in front. Cells are counted from 0, text cells too.
export class Notebook {
  constructor(page) {
    this.page = page;
  }

  static async open(page, path) {
    await page.evaluate(async path => {
      window.panel = await lab.commands.execute('docmanager:open', { path });
      await Promise.all([panel.context.ready, panel.revealed, panel.sessionContext.ready]);
      lab.shell.activateById(panel.id);
    }, path);
    const notebook = new Notebook(page);
    try {
      await notebook.idle(60_000);
    } catch {
      // Seen once on a machine with far too much to do: the server had a kernel, and the
      // page never heard of it. A user would start it anew, too.
      console.log(`    ${path}: its kernel is silent and is started anew`);
      await page.evaluate(() => void panel.sessionContext.restartKernel());
      await notebook.idle();
    }
    return notebook;
  }

  // until waits for a condition on the page, and says what it waited for in vain.
  async until(what, condition, argument = null, timeout = patience) {
    try {
      await this.page.waitForFunction(condition, argument, { timeout });
    } catch (error) {
      if (error.name !== 'TimeoutError') throw error;
      throw new Error(`${what}: not within ${timeout / 1000} s`);
    }
  }

  async idle(timeout = patience) {
    await this.until('a kernel that has started', () => panel.sessionContext.session?.kernel?.status === 'idle', null, timeout);
  }

  // fromMenu chooses a command as a user does.
  async fromMenu(menu, item) {
    await this.page.getByRole('menubar').getByRole('menuitem', { name: menu, exact: true }).click();
    await this.page.locator('.lm-Menu').getByText(item, { exact: true }).click();
  }

  // runAll starts all cells, after it has removed what earlier runs left in them.
  async runAll() {
    await this.page.evaluate(() => lab.commands.execute('notebook:clear-all-cell-outputs'));
    await this.fromMenu('Run', 'Run All Cells');
    await this.until('a first cell that runs', () => panel.content.widgets.some(c => c.promptNode?.textContent.includes('*') || c.model.executionCount > 0));
  }

  // finished waits until no cell runs or waits to be run, and each that has put something
  // out has its number: the number comes in a message of its own, after the output.
  async finished(timeout = patience) {
    await this.until('the end of the last cell',
      () => panel.sessionContext.session?.kernel?.status === 'idle' && !panel.content.widgets.some(c =>
        c.promptNode?.textContent.includes('*') || c.model.type === 'code' && c.model.outputs.length > 0 && !c.model.executionCount),
      null, timeout);
  }

  // numbered waits until a cell has been run and has its number.
  async numbered(i, timeout = patience) {
    await this.until(`the number of cell ${i}`, i => {
      const cell = panel.content.widgets[i];
      return cell.model.executionCount > 0 && !cell.promptNode.textContent.includes('*');
    }, i, timeout);
  }

  // running waits until a cell is at work: none above it is still to be done.
  async running(i, timeout = patience) {
    await this.until(`cell ${i} to be run`, i => {
      const cells = panel.content.widgets;
      const waits = c => c.promptNode?.textContent.includes('*');
      return waits(cells[i]) && !cells.slice(0, i).some(waits);
    }, i, timeout);
  }

  // trusted says whether JupyterLab shows all that is in the cells; of a notebook that
  // comes from elsewhere it leaves out what could do harm.
  trusted() {
    return this.page.evaluate(() => panel.content.widgets.every(c => c.model.type !== 'code' || c.model.trusted));
  }

  // show scrolls a cell into sight.
  async show(i) {
    await this.page.evaluate(async i => {
      panel.content.activeCellIndex = i;
      await panel.content.scrollToItem(i, 'start');
    }, i);
  }

  // text is what a cell has put out, as it is read on the screen.
  async text(i) {
    return this.page.evaluate(i => panel.content.widgets[i].outputArea.node.innerText, i);
  }

  async says(i, words) {
    await this.until(`"${words}" from cell ${i}`, ([i, words]) => panel.content.widgets[i].outputArea.node.innerText.includes(words), [i, words]);
  }

  // figures waits until a cell shows so many pictures, each loaded and of a size to be
  // seen, and returns the number that it does show.
  async figures(i, want) {
    await this.show(i);
    const count = ([i, want]) => {
      const pictures = [...(panel.content.widgets[i].outputArea?.node.querySelectorAll('img') ?? [])];
      const seen = pictures.filter(p => p.complete && p.naturalWidth > 0 && p.naturalHeight > 0 && p.getBoundingClientRect().width > 100);
      return want < 0 || seen.length === want && pictures.length === want ? { seen: seen.length } : false;
    };
    try {
      await this.page.waitForFunction(count, [i, want], { timeout: 60_000 });
      return want;
    } catch {
      return (await this.page.evaluate(count, [i, -1])).seen;
    }
  }

  // watch counts the different pictures that a cell shows while it runs.
  async watch(i) {
    await this.page.evaluate(i => {
      const cell = panel.content.widgets[i];
      const sources = new Set();
      window.watched = { frames: 0, atOnce: 0 };
      setInterval(() => {
        const pictures = cell.outputArea.node.querySelectorAll('img');
        watched.atOnce = Math.max(watched.atOnce, pictures.length);
        if (cell.promptNode.textContent.includes('*')) {
          for (const p of pictures) sources.add(p.src);
          watched.frames = sources.size;
        }
      }, 20);
    }, i);
  }

  async watched(frames, timeout = patience) {
    await this.page.waitForFunction(n => watched.frames >= n, frames, { timeout }).catch(() => {});
    return this.page.evaluate(() => watched);
  }

  // interrupt clicks the square in the toolbar and returns how many milliseconds later
  // the cell had stopped.
  async interrupt(i) {
    await this.page.evaluate(i => {
      window.stopped = new Promise(resolve => {
        let clicked;
        document.addEventListener('click', () => { clicked ??= performance.now(); }, { capture: true });
        const timer = setInterval(() => {
          if (clicked && !panel.content.widgets[i].promptNode.textContent.includes('*')) {
            clearInterval(timer);
            resolve(performance.now() - clicked);
          }
        }, 10);
      });
    }, i);
    await this.page.locator('.jp-NotebookPanel:not(.lm-mod-hidden) [data-jp-item-name="interrupt"] jp-button').click();
    await this.numbered(i);
    return this.page.evaluate(() => window.stopped);
  }

  // complete types into a new cell at the end, presses Tab, and returns what is offered.
  // The first answer takes gopls longer than JupyterLab waits for it: so Tab is pressed
  // again until the wanted word is there.
  async complete(source, word, timeout = patience) {
    await this.page.evaluate(async () => {
      panel.content.activeCellIndex = panel.content.widgets.length - 1;
      await lab.commands.execute('notebook:insert-cell-below');
      await panel.content.scrollToItem(panel.content.activeCellIndex, 'center');
      await lab.commands.execute('notebook:enter-edit-mode');
    });
    await this.page.keyboard.type(source);
    let offered = [];
    for (const end = Date.now() + timeout; !offered.includes(word) && Date.now() < end;) {
      await this.page.keyboard.press('Tab');
      await this.page.waitForTimeout(1_500);
      offered = await this.page.locator('.jp-Completer:not(.lm-mod-hidden) .jp-Completer-match').allTextContents();
    }
    return offered;
  }

  // save saves, and waits until what is on the disk is what is on the screen.
  async save() {
    await this.page.evaluate(() => lab.commands.execute('docmanager:save'));
    await this.until('a notebook that is saved', () => !panel.context.model.dirty);
  }

  async shutdown() {
    await this.page.evaluate(() => panel.sessionContext.shutdown());
  }

  async screenshot(folder, name) {
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
