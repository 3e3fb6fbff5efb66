import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {har} from '../app/export/har.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {Trace} from '../app/run/trace/trace.ts';
import {load} from '../main/engine/load.ts';
import {openPage} from '../main/pages/openPage.ts';
import {root} from '../main/setup/command.mjs';
import {dropFiles, openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// Captures of other programs in the window, as a user drops them.

const folder = mkdtempSync(join(tmpdir(), 'interleave-captures-'));
const archive = join(folder, 'recorded.har');
const [packets, keys] = ['chromium-h3.pcap', 'keys.log'].map(name => join(root, 'fixtures/captures', name)) as [
  string,
  string,
];

describe.skipIf(whySkipped !== '')(`captures${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    writeFileSync(archive, await archiveText());
    window = await openUnmeasuredWindow({page: 'gallery-3k', seed: 1});
  });
  afterAll(async () => {
    await window?.close();
    rmSync(folder, {recursive: true});
  });

  test('packets and their key log become a pane, whose header says that the load is captured', async () => {
    const {page} = window;
    await dropFiles(page, packets, keys);
    await page.locator('.panes[data-panes="1"]').waitFor();
    await page.keyboard.press('End');
    const header = page.locator('.pane-header');
    await expect.poll(() => header.innerText()).toMatch(/HTTP\/3[\s\S]*captured \(pcap\)[\s\S]*complete at/);
    expect(await header.innerText()).not.toMatch(/classic|quinn|round-robin/);
    expect(await page.locator('.honesty').innerText()).toContain('from chromium-h3.pcap');
    expect(await page.locator('.trace-files').innerText()).toContain('the path of the recording (pcap)');
    expect(await page.locator('.trace-files').getByRole('button', {name: 'Compute'}).count()).toBe(0);
  });

  test('a HAR file opens as a page, and the load that it recorded is shown beside it', async () => {
    const {page} = window;
    await dropFiles(page, archive);
    const notice = page.locator('.notice', {hasText: 'It also has the times of a recorded load'});
    await notice.getByRole('button', {name: 'Show the recorded load beside it'}).click();
    await expect
      .poll(() => page.locator('.pane-header').allInnerTexts())
      .toContainEqual(expect.stringContaining('captured (har)'));
    expect(await page.locator('.pane-header').count()).toBeGreaterThan(1);
  });

  test('a key log alone is refused in one sentence', async () => {
    const {page} = window;
    await dropFiles(page, keys);
    await page.locator('.notice', {hasText: 'a key log alone shows no load'}).waitFor();
  });
});

async function archiveText(): Promise<string> {
  const parsed = parseScenario({page: 'gallery-3k', panes: [{pipeline: 'h2'}]});
  if (!parsed.ok) throw new Error('not a scenario');
  const {scenario} = parsed;
  const page = await openPage(scenario.page, join(root, 'fixtures/pages'));
  const [data] = load(page, scenario, 1).panes;
  const [pane] = scenario.panes;
  if (data === undefined || pane === undefined) throw new Error('no pane');
  return har(new Trace(data), {page, pane, isLive: false, title: 'gallery', version: '1', hasContent: true});
}
