// Opens notebooks in JupyterLab and checks what can be seen there:
//
//	node drive.mjs plan.json
//
// The plan is written by notebooks/run/labtest.go, which also reads the notebooks as
// they were saved here. Each check that holds prints a line; the first that does not
// ends the run, with a picture of the screen.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Notebook, open } from './page.mjs';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function check(holds, says) {
  if (!holds) throw new Error(says);
  console.log(`    ${Math.round(performance.now() / 1000)} s: ${says}`);
}

async function figures(notebook, expected, where) {
  let total = 0;
  for (const [i, want] of expected.entries()) {
    if (want === 0) continue;
    const seen = await notebook.figures(i, want);
    if (seen !== want) throw new Error(`${where}: cell ${i} shows ${seen} figures, ${want} expected`);
    total += seen;
  }
  check(total > 0, `${where}: ${total} figures seen`);
}

// A notebook of the course: as committed and not trusted, then run afresh.
async function course(page, { path, cells }) {
  const name = basename(path, '.ipynb');
  const notebook = await Notebook.open(page, path);
  if (await notebook.trusted()) throw new Error(`${name}: JupyterLab trusts it before it was run here`);
  await figures(notebook, cells, `${name} as committed, not trusted`);
  await notebook.show(0);
  await notebook.screenshot(plan.pictures, `${name}_committed`);
  await notebook.runAll();
  await notebook.finished();
  await figures(notebook, cells, `${name} run afresh`);
  const last = cells.findLastIndex(n => n > 0);
  await notebook.show(last);
  await notebook.screenshot(plan.pictures, name);
  await notebook.save();
  return notebook;
}

async function completion(notebook) {
  const offered = await notebook.complete('%%\ntwornn.', 'Fit');
  await notebook.screenshot(plan.pictures, 'completion');
  check(offered.includes('Fit'), `completion of "twornn.": ${offered.length} names offered, Fit ${offered.includes('Fit') ? '' : 'not '}among them`);
}

// A figure that changes in its place, then a fit that is interrupted.
async function live(page) {
  const { path, drawing, fitting, after } = plan.live;
  const notebook = await Notebook.open(page, path);
  await notebook.watch(drawing);
  await notebook.runAll();
  await notebook.running(drawing);
  await notebook.show(drawing);
  await notebook.watched(3);
  await notebook.screenshot(plan.pictures, 'live_running');
  const { frames, atOnce } = await notebook.watched(6);
  check(frames >= 6 && atOnce === 1, `live figure: ${frames - 1} changes seen while the cell ran, ${atOnce} at once`);
  await notebook.says(fitting, 'begun');
  await notebook.show(fitting);
  const took = await notebook.interrupt(fitting);
  await notebook.numbered(after);
  await notebook.finished();
  const text = await notebook.text(fitting);
  // That it says so, and not how long it took, tells an interrupt from a fit that was done. On a
  // machine with too much to do there may be no model yet; Fit's own tests see to the model.
  const reached = /reached so far: .*state/.test(text) && text.includes('stopped before');
  check(reached || text.includes('nothing so far: ') && text.includes('context canceled'),
    `interrupted: the cell stopped ${Math.round(took)} ms after the click, and printed ${reached ? 'the model reached so far' : 'that there is none'}`);
  check((await notebook.text(after)).includes('the kernel lives'), 'interrupted: the next cell ran');
  check(await notebook.figures(drawing, 1) === 1 && await notebook.figures(fitting, 1) === 1, 'live figures: the last of each stays, the interrupted one too');
  await notebook.screenshot(plan.pictures, 'live_interrupted');
  await notebook.save();
  await notebook.shutdown();
}

// Faults must be seen as faults, and the kernel outlives them.
async function failing(page) {
  const { path, panics, wrong, after } = plan.failing;
  const notebook = await Notebook.open(page, path);
  await notebook.runAll();
  await notebook.numbered(panics);
  await notebook.finished();
  await notebook.screenshot(plan.pictures, 'failing');
  const red = await page.evaluate(i => getComputedStyle(panel.content.widgets[i].outputArea.node.querySelector('[data-mime-type$="stderr"]')).backgroundColor, panics);
  check((await notebook.text(panics)).includes('panic: ') && !/, 0\)|255, 255, 255/.test(red), `failing: a panic is shown, on a ground of its own`);
  // Run All sends all cells at once, and GoNB runs all that it was sent. JupyterLab takes the
  // mark off those behind a cell that fails; their numbers come when they have been run.
  await notebook.numbered(wrong);
  await notebook.numbered(after);
  await notebook.finished();
  check((await notebook.text(wrong)).includes('declared and not used'), 'failing: what the compiler says is shown');
  check((await notebook.text(after)).includes('the kernel lives'), 'failing: the cells behind run all the same');
  await notebook.save();
  await notebook.shutdown();
}

const { browser, page } = await open(plan);
const errors = [];
page.on('pageerror', error => errors.push(error.message));
try {
  for (const [i, notebook] of plan.course.entries()) {
    const opened = await course(page, notebook);
    if (i === 0 && plan.completion) await completion(opened);
    await opened.shutdown();
  }
  await live(page);
  await failing(page);
} catch (error) {
  await page.screenshot({ path: join(plan.pictures, 'failed.png') }).catch(() => {});
  console.log(`    wrong: ${error.message}`);
  for (const e of new Set(errors)) console.log(`    the page said: ${e}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
