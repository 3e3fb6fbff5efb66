import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Download, Locator} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {answersOf, candidatePanes, questionsOf} from '../app/study/advice/advice.ts';
import {adviceText, browserText} from '../app/study/advice/adviceTexts.ts';
import {cellCount, cellScenario, parseGrid} from '../app/study/experiment/grid.ts';
import {METRICS, NAMED_METRICS} from '../app/study/experiment/metricList.ts';
import {resultsHeader, resultsLines} from '../app/study/experiment/resultsCsv.ts';
import {readRow} from '../app/study/experiment/row.ts';
import {program} from '../main/files/program.ts';
import {openGridPages} from '../main/jobs/experiment/gridPages.ts';
import {answerPiece} from '../main/jobs/experiment/piece.ts';
import {openPage} from '../main/pages/openPage.ts';
import {seedRow} from '../main/workers/seedRow.ts';
import {openInWindow, openWindow, type TestWindow, whySkipped} from './window.ts';

// An experiment in the window. It is chosen and run, and its points are pointed at and opened. The grid that it saves
// has the same results on the command line.

const BASE = {
  page: {synthetic: {indexBytes: 1000, objects: 3, objectBytes: 3000}},
  path: {rttMs: 200, loss: 0.03},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
  seed: 7,
};
describe.skipIf(whySkipped !== '')(`an experiment${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow(BASE);
  });
  afterAll(() => window?.close());

  test('is chosen, says how many loads it needs, and fills in its figure', async () => {
    const {page} = window;
    await page.keyboard.press('v');
    await page.getByLabel('Vary', {exact: true}).selectOption({label: 'loss each way, %'});
    await page.getByLabel('Vary: values').fill('2, 10');
    await page.getByLabel('and', {exact: true}).selectOption({label: 'objects'});
    await page.getByLabel('and: values').fill('1, x');
    await page.locator('.experiment .refused').waitFor();
    expect(await page.getByRole('button', {name: 'Run', exact: true}).isDisabled()).toBe(true);
    await page.getByLabel('and: values').fill('1..5 step 2');
    await page.getByLabel('seeds', {exact: true}).selectOption('10');
    await page.getByText('6 points × 10 seeds × 2 sides = 120 loads').waitFor();
    await page.getByLabel('Vary: values').press('Enter');
    await page.getByRole('button', {name: 'All runs are computed'}).waitFor();
    await expect.poll(() => marks().count()).toBe(12);
    // the higher a mean, the higher its point
    const drawn = await marks().evaluateAll(all =>
      all.map(each => ({
        mean: Number(/mean ([\d.]+)/.exec(each.getAttribute('aria-label') ?? '')?.[1]),
        y: Number(each.getAttribute('cy')),
      })),
    );
    const upwards = drawn.toSorted((a, b) => b.y - a.y).map(({mean}) => mean);
    expect(upwards).toEqual(upwards.toSorted((a, b) => a - b));
    expect(await page.locator('.experiment-verdict').textContent()).toContain(
      'Whole page from navigation against loss each way',
    );
  });

  test('describes a point, opens its median run and then the next run, and undoes both', async () => {
    const {page} = window;
    const mark = page.locator('.figure-mark[data-cell="5"][data-series="1"]');
    await pointAt(mark);
    const tip = page.locator('.figure-tip');
    const text = (await tip.innerText()).split('\n');
    expect(text[0]).toBe('SCTP, objects 5, loss each way 10 %');
    expect(text[1]).toMatch(/^mean [\d.]+ ± [\d.]+ s \(95 % interval\)$/);
    expect(text[3]).toBe('10 runs, all complete');
    const [, opened = '', time = ''] = /^Click: a run in the middle, seed (\d+): ([\d.]+) s$/.exec(text[4] ?? '') ?? [];
    const seed = page.getByLabel('Seed', {exact: true});
    expect(await seed.inputValue()).toBe('7');
    await clickOn(mark);
    await expect.poll(() => seed.inputValue()).toBe(opened);
    // this is the run of the point: the table has the same time for its side
    const row = page.locator('.metrics').getByRole('row', {name: 'whole page from navigation'});
    const sctp = async () => Number.parseFloat((await row.getByRole('cell').nth(1).textContent()) ?? '');
    await expect.poll(sctp).toBeCloseTo(Number(time), 1);
    expect(await mark.getAttribute('aria-selected')).toBe('true');
    await clickOn(mark);
    await expect.poll(() => seed.inputValue()).not.toBe(opened);
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe(opened);
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe('7');
    // the runs stay, whichever run is shown
    expect(await marks().count()).toBe(12);
  });

  test('goes on with more seeds, and shows fewer again', async () => {
    const {page} = window;
    const label = () => marks().first().getAttribute('aria-label');
    await page.getByLabel('seeds', {exact: true}).selectOption('20');
    await page.getByRole('button', {name: 'Go on'}).click();
    await expect.poll(label).toContain(' 20 runs, all complete');
    await page.getByLabel('seeds', {exact: true}).selectOption('10');
    await expect.poll(label).toContain(' 10 runs, all complete');
  });

  test('has points that arrow keys choose and Enter opens', async () => {
    const {page} = window;
    const figure = page.locator('.figure');
    await figure.focus();
    await figure.press('End');
    await figure.press('ArrowDown');
    const active = async () => {
      const id = await figure.getAttribute('aria-activedescendant');
      return page.locator(`[id="${id}"]`).getAttribute('aria-label');
    };
    const before = await active();
    expect(before).toMatch(/^(TCP|SCTP), objects 5, loss each way 10 %, mean /);
    await figure.press('Home');
    expect(await active()).toMatch(/, objects 1, loss each way 2 %, mean /);
    const [, median = ''] = /Click: a run in the middle, seed (\d+)/.exec((await active()) ?? '') ?? [];
    await figure.press('Enter');
    const seed = page.getByLabel('Seed', {exact: true});
    await expect.poll(() => seed.inputValue()).toBe(median);
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe('7');
  });

  test('is saved as a grid for which the command computes the same results', async () => {
    const {page} = window;
    const grid = await textOf(await saved('Grid'));
    expect(await textOf(await saved('CSV'))).toBe(await resultsOf(grid));
    const svg = await textOf(await saved('SVG print'));
    expect(svg).toContain('10 runs per point, seeds 1-10');
    expect(svg).toContain(`<metadata>${program()}</metadata></svg>`);
    expect(JSON.parse(grid)).toMatchObject({program: program()});
    const isFile = await page.evaluate(text => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return parsed.querySelector('parsererror') === null;
    }, svg);
    expect(isFile).toBe(true);
    expect(await page.getByRole('button', {name: 'Command', exact: true}).getAttribute('title')).toContain(
      'npx interleave experiment interleave-grid.json --out results',
    );
  });

  test('shows causes as bars after other runs, with a text for each bar, and keeps the runs for other metrics', async () => {
    const {page} = window;
    const show = page.getByLabel('Show', {exact: true});
    const usual = await show.inputValue();
    await show.selectOption({label: 'causes of the time, s'});
    await page.locator('.experiment-empty').waitFor();
    expect(await page.getByLabel('as', {exact: true}).isDisabled()).toBe(true);
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.getByRole('button', {name: 'All runs are computed'}).waitFor();
    await expect.poll(() => marks().count()).toBe(12);
    const mark = page.locator('.figure-mark[data-cell="5"][data-series="1"]');
    await pointAt(mark);
    const text = (await page.locator('.figure-tip').innerText()).split('\n');
    expect(text[0]).toBe('objects 5, SCTP, loss each way 10 %');
    const [total = 0, ...parts] = text.slice(1).flatMap(line => {
      const found = /^(?!median|Click).*? ([\d.]+)(?: ± [\d.]+)? s$/.exec(line);
      return found === null ? [] : [Number(found[1])];
    });
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 1);
    expect(await textOf(await saved('CSV'))).toBe(await resultsOf(await textOf(await saved('Grid'))));
    await show.selectOption(usual);
    await page.getByRole('button', {name: 'All runs are computed'}).waitFor();
    expect(await page.locator('.experiment-other').count()).toBe(0);
  });

  test('advice equals that of the command, and is set and undone in one step each', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    await openInWindow(window, BASE);
    await page.keyboard.press('a');
    const dialog = page.locator('.advice');
    await dialog.getByRole('button', {name: 'Cancel'}).click();
    await dialog.getByLabel('seeds').selectOption('20');
    await dialog.getByRole('button', {name: 'Advise'}).click();
    await page.locator('.advice-helps').nth(1).waitFor();
    const {advice, browsers, best} = await advised();
    const aim = page.locator('.advice-aim[data-aim=pageTime]');
    expect(await aim.locator('.advice-streams').textContent()).toContain(`${advice} `);
    expect(await aim.locator('.advice-browsers').textContent()).toBe(browsers);
    const aims = (): Promise<readonly string[]> => page.locator('.advice-aim h3').allTextContents();
    expect(await aims()).toEqual(['first picture complete', 'page time T']);
    await dialog.getByRole('checkbox', {name: 'page complete'}).check();
    expect(await aims()).toEqual(['first picture complete', 'page complete', 'page time T']);
    await dialog.getByRole('checkbox', {name: 'page complete'}).uncheck();
    // the best point is marked and described
    const mark = aim.locator('.figure-mark[aria-selected=true]');
    expect(await mark.getAttribute('aria-label')).toContain('the best, or exactly as good');
    await aim.getByRole('button', {name: /^Set \d+ stream/}).click();
    await page.locator('.advice-other').waitFor();
    await page.keyboard.press('Escape');
    const streams = page.getByLabel('Streams', {exact: true});
    await expect.poll(() => streams.inputValue()).toBe(String(best));
    await page.keyboard.press('Control+z');
    await expect.poll(() => streams.inputValue()).toBe('10');
  });

  function marks(): Locator {
    return window.page.locator('.figure-mark');
  }

  async function pointAt(mark: Locator): Promise<void> {
    const {x, y, width, height} = (await mark.boundingBox()) ?? {x: 0, y: 0, width: 0, height: 0};
    await window.page.mouse.move(x + width / 2, y + height / 2);
  }

  async function clickOn(mark: Locator): Promise<void> {
    await pointAt(mark);
    await window.page.mouse.down();
    await window.page.mouse.up();
  }

  async function saved(name: string): Promise<Download> {
    const {page} = window;
    const button = page.getByRole('button', {name, exact: true});
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return download;
  }
});

/** The sentences of the command for T, and the number of streams that it advises. */
async function advised() {
  const parsed = parseScenario(BASE);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {scenario} = parsed;
  const page = await openPage(scenario.page, '');
  const questions = questionsOf(scenario, 3);
  const seeds = Array.from({length: 20}, (_, i) => i + 1);
  const rows = candidatePanes(questions).map(pane =>
    seeds.map(seed => seedRow(page, {...scenario, panes: [pane]}, seed, {eye: null})),
  );
  const {streams, browsers} = answersOf(questions, rows, {timeLimitMs: scenario.timeLimitMs});
  const [own, other] = [streams, browsers].map(({aims}) => aims.find(({aim}) => aim.name === 'pageTime'));
  if (own === undefined || other === undefined) throw new Error('no advice');
  const best = streams.candidates[own.best]?.streams;
  return {advice: adviceText(own, streams), browsers: browserText(other, browsers), best};
}

/** Makes the `results.csv` that the command writes for a grid file, in the same steps. */
async function resultsOf(text: string): Promise<string> {
  const parsed = parseGrid(JSON.parse(text));
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {grid} = parsed;
  const {pages, pageOf} = await openGridPages(grid, join(import.meta.dirname, '../fixtures/pages'));
  const metrics = NAMED_METRICS.filter(({name}) => (grid.metrics ?? METRICS.map(each => each.name)).includes(name));
  const worker = {pages, metrics: metrics.map(({name}) => name)};
  const cells = Array.from({length: cellCount(grid)}, (_, cell) => {
    const runs = grid.seeds.map((seed, i) => [cell * grid.seeds.length + i, seed] as const);
    const lines = answerPiece(worker, {page: pageOf(cell), scenario: cellScenario(grid, cell), runs}).text;
    const rows = lines.trimEnd().split('\n');
    const read = rows.flatMap(line => readRow(line, metrics.length) ?? []);
    return resultsLines(grid, cell, read);
  });
  return [resultsHeader(grid, metrics), ...cells].join('');
}

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}
