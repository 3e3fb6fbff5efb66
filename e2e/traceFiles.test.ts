import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {parseScenario, type Scenario} from '../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../app/run/trace/runFile.ts';
import {heldRunDocument} from '../app/telling/movie/movieStage.ts';
import {DEFAULT_MOVIE} from '../app/telling/movie/options.ts';
import {load} from '../main/engine/load.ts';
import {LiveLoad} from '../main/live/client/liveLoad.ts';
import {startServer} from '../main/live/server/liveServer.ts';
import {takeStill} from '../main/media/movie/stills.ts';
import {openChromiumStudio} from '../main/media/studio/chromiumStudio.ts';
import {openPage} from '../main/pages/openPage.ts';
import {dropFiles, openUnmeasuredWindow, type TestWindow, unfold, whySkipped} from './window.ts';

// Trace files in one window, as a user drops, chooses and saves them.

const folder = mkdtempSync(join(tmpdir(), 'interleave-traces-'));
const [live, computed, small, damaged] = ['live', 'computed', 'small', 'damaged'].map(name =>
  join(folder, `${name}.trace`),
) as [string, string, string, string];

describe.skipIf(whySkipped !== '')(`trace files${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    writeFileSync(live, await liveTrace());
    writeFileSync(computed, await trace({page: 'gallery', seed: 3}));
    writeFileSync(small, await trace({page: 'gallery-3k', panes: [{pipeline: 'sctp'}]}));
    writeFileSync(damaged, readFileSync(computed).subarray(0, 999));
    window = await openUnmeasuredWindow({page: 'gallery-3k', seed: 1});
  });
  afterAll(async () => {
    await window?.close();
    rmSync(folder, {recursive: true});
  });

  test('of a live and a computed run are shown side by side, and the differences are named', async () => {
    const {page} = window;
    await dropFiles(page, live, computed);
    await page.locator('.panes[data-panes="4"]').waitFor();
    await page.keyboard.press('End');
    await expect
      .poll(() => page.locator('.pane-header').allTextContents())
      .toEqual([
        ...Array.from({length: 2}, () => expect.stringMatching(/live · .*complete at/)),
        ...Array.from({length: 2}, () => expect.stringMatching(/computed · .*complete at/)),
      ]);
    const honesty = await page.locator('.honesty').innerText();
    expect(honesty).toContain('from live.trace, computed.trace');
    expect(honesty).toContain('loads differ: live (live); computed (computed)');
    expect(honesty).not.toContain('Is that luck?');
    expect(await page.locator('.metrics tr', {hasText: 'lost'}).first().locator('td').allInnerTexts()).toEqual([
      ...['–', '–'].map(text => expect.stringContaining(text)),
      ...Array.from({length: 2}, () => expect.stringMatching(/^\d/)),
    ]);
  });

  test('have settings that cannot be changed, and a setting’s key says so', async () => {
    const {page} = window;
    await page.keyboard.press('n');
    await page.locator('.notice', {hasText: 'whose settings cannot be changed'}).waitFor();
    await page.keyboard.press('Escape');
    expect(await panesOn(page)).toBe('4');
  });

  test('a damaged file is named, and the shown panes stay', async () => {
    const {page} = window;
    await dropFiles(page, computed, damaged);
    const notice = page.locator('.notice');
    await expect
      .poll(() => notice.innerText())
      .toContain('damaged.trace: damaged trace file: it has 999 bytes instead of');
    await page.keyboard.press('Escape');
    expect(await page.locator('.honesty').innerText()).toContain('from live.trace, computed.trace');
  });

  test('panes are chosen, more are added, and each change is a step to undo', async () => {
    const {page} = window;
    const boxes = page.locator('.trace-files').getByRole('checkbox');
    await boxes.nth(1).uncheck();
    await page.locator('.panes[data-panes="3"]').waitFor();
    await page.locator('.trace-files .add-traces').setInputFiles(small);
    await page.locator('.panes[data-panes="4"]').waitFor();
    expect(await page.locator('.honesty').innerText()).toMatch(/pages differ: gallery .* \(live and computed\)/);
    await page.keyboard.press('Control+z');
    await page.locator('.panes[data-panes="3"]').waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.panes[data-panes="4"]').waitFor();
  });

  test('the shown panes are saved as one file, from which the same panes and pictures can be made', {
    tags: ['long'],
  }, async () => {
    const {page, shell} = window;
    // the panes are shown also if only tests with the tag `long` are run
    await dropFiles(page, live, computed);
    await page.locator('.panes[data-panes="4"]').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
    const joined = join(folder, 'joined.trace');
    await download.saveAs(joined);
    const bytes = readFileSync(joined);
    const decoded = decodeRun(bytes);
    expect(decoded.ok && decoded.run.sources?.map(({file, pane}) => [file, pane])).toEqual([
      ['live.trace', 0],
      ['live.trace', 1],
      ['computed.trace', 0],
      ['computed.trace', 1],
    ]);
    const before = await page.locator('.honesty').innerText();
    await dropFiles(page, small);
    await page.locator('.panes[data-panes="1"]').waitFor();
    await dropFiles(page, joined);
    await page.locator('.panes[data-panes="4"]').waitFor();
    expect(await page.locator('.honesty').innerText()).toBe(before);

    const held = shell.holdRun(bytes);
    if (!held.ok) throw new Error(held.message);
    const studio = await openChromiumStudio(shell);
    try {
      const options = {scenario: heldRunDocument(held.run), look: DEFAULT_MOVIE.look, scale: 0.5};
      const still = sharp(Buffer.from(await takeStill(studio, options, 5e6)));
      expect(await still.metadata()).toMatchObject({format: 'png', width: DEFAULT_MOVIE.look.size.width / 2});
    } finally {
      await studio.close();
    }
  });

  test('the trace of the shown run is saved from the section ‘Files’', async () => {
    const {page} = window;
    await page.locator('.trace-files').getByRole('button', {name: 'Compute'}).click();
    await page.locator('.panes[data-panes="2"]').waitFor();
    await page.locator('html[data-state=ready]').waitFor();
    await unfold(page, 'Files');
    const button = page.locator('.run-files').getByRole('button', {name: 'trace'});
    // the download may take longer than the click, so that a click that is not possible is reported with its reason
    const [download] = await Promise.all([page.waitForEvent('download', {timeout: 60_000}), button.click()]);
    const [saved, opened] = [readFileSync(await download.path()), readFileSync(computed)].map(decodeRun);
    if (saved?.ok !== true || opened?.ok !== true) throw new Error('no trace files');
    // the saved file names the program that wrote it; everything else is equal
    expect(saved.run).toMatchObject({program: expect.stringMatching(/^interleave /)});
    const {program: _, ...run} = saved.run;
    expect(encodeRun(run)).toEqual(encodeRun(opened.run));
  });
});

function scenarioOf(document: Json): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

async function trace(document: Json): Promise<Uint8Array> {
  const scenario = scenarioOf(document);
  return encodeRun(load(await openPage(scenario.page, 'fixtures/pages'), scenario, scenario.seed));
}

async function liveTrace(): Promise<Uint8Array> {
  const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
  const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
  try {
    const scenario = scenarioOf({page: 'gallery', path: {live: `127.0.0.1:${server.port}`}});
    return encodeRun(await new LiveLoad(page, scenario, {signal: new AbortController().signal}).run());
  } finally {
    await server.close();
  }
}

async function panesOn(page: Page): Promise<string | null> {
  return page.locator('.panes').getAttribute('data-panes');
}
