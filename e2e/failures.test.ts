import {copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {Trace} from '../app/run/trace/trace.ts';
import {runFolder} from '../main/workers/testing/runs.ts';
import {install, openInstalledWindow, openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

describe.skipIf(whySkipped !== '')(`failures are reported${whySkipped}`, () => {
  let window: TestWindow | undefined;
  let folder: string;
  beforeEach(() => {
    window = undefined;
    folder = mkdtempSync(join(tmpdir(), 'interleave-failures-'));
  });
  afterEach(async () => {
    await window?.close();
    rmSync(folder, {recursive: true});
  });

  test('a load that the transport gives up names the protocol’s reason', async () => {
    window = await openUnmeasuredWindow({path: {loss: 1}, timeLimitMs: 10_000_000});
    await window.page.keyboard.press('End');
    const endings = window.page.locator('.pane-ending');
    await expect
      .poll(() => endings.allTextContents())
      .toEqual(['aborted, no page time: connect-timeout', expect.stringMatching(/^aborted, no page time: /)]);
    await window.page
      .locator('.metrics caption')
      .getByText(/^HTTP\/1.1 over TCP, .*has no page time, PPage or ratio: aborted: connect-timeout/)
      .waitFor();
  });

  test('an image that the server does not have is broken from its failure on', async () => {
    copyFileSync(new URL('../fixtures/pages/gallery/lake.jpg', import.meta.url), join(folder, 'there.jpg'));
    writeFileSync(
      join(folder, 'index.html'),
      '<img src="there.jpg" width="320" height="240"><img src="gone.jpg" alt="A lake" width="320" height="240">',
    );
    const scenario = {page: folder, path: {rttMs: 200}};
    const [trace] = (await runFolder(scenario)).panes.map(data => new Trace(data));
    const failedNs = trace?.objects[2]?.failedNs ?? 0;
    expect(failedNs).toBeGreaterThan(0);
    window = await openUnmeasuredWindow(scenario);
    const {page} = window;
    const pane = page.locator('.pane').first();
    const boxes = pane.frameLocator('iframe').locator('[data-object]');
    // an image of which nothing has arrived has no size either, but can be decoded
    const areBroken = () =>
      boxes.evaluateAll(all =>
        Promise.all(
          (all as HTMLImageElement[]).map(box =>
            box.decode().then(
              () => false,
              () => true,
            ),
          ),
        ),
      );
    await seek(page, failedNs / 1e9 - 0.001);
    expect(await areBroken()).toEqual([false, false]);
    const empty = await boxes.nth(1).screenshot();
    await seek(page, failedNs / 1e9);
    expect(await areBroken()).toEqual([false, true]);
    // the sign of a broken image and the alternative text are shown
    expect(await boxes.nth(1).screenshot()).not.toEqual(empty);
    expect(await pane.locator('.pane-progress').textContent()).toContain('1 failed');
    await page.getByRole('button', {name: 'gone.jpg'}).click();
    await page
      .getByText(/^failed at .*: status 404$/)
      .first()
      .waitFor();
    expect(await page.locator('.objects tr', {hasText: 'gone.jpg'}).locator('td').allTextContents()).toEqual([
      'failed',
      'failed',
    ]);
    // the object is missing in every pane, so the load of each side counts as complete
    await page.keyboard.press('End');
    await pane.getByText(/^complete at/).waitFor();
    await page
      .getByText(
        '1 object is missing in every pane (its server does not have it, or its address is too long), and is not counted',
      )
      .waitFor();
  });

  test('when the engine’s thread dies, the scenario is kept, and it is computed again on request', {
    tags: ['long'],
  }, async () => {
    await install(folder);
    window = await openInstalledWindow(folder);
    const {page} = window;
    await page.locator('html[data-state=ready]').waitFor();
    // the window needs a page's bytes, and the folder of pages is gone
    renameSync(join(folder, 'fixtures'), join(folder, 'elsewhere'));
    await page.getByLabel('Page', {exact: true}).selectOption('gallery-3k');
    const banner = page.getByRole('alert');
    await banner.getByText(/died .* and was started again\. The scenario is kept\./).waitFor();
    expect(await banner.count()).toBe(1);
    renameSync(join(folder, 'elsewhere'), join(folder, 'fixtures'));
    await page.getByRole('button', {name: 'Compute it again'}).click();
    await banner.waitFor({state: 'detached'});
    await page.locator('iframe[title^="gallery-3k,"]').first().waitFor();
  });

  test('if the addon cannot be loaded, the window says what to do', async () => {
    await install(folder);
    writeFileSync(join(folder, 'native/addon/index.node'), 'half a download');
    window = await openInstalledWindow(folder);
    const {page} = window;
    const banner = page.getByRole('alert');
    await banner
      .getByText(/The engine cannot start: .*index\.node.*npm start or npm test builds the engine’s native addon/)
      .waitFor();
    expect(await banner.count()).toBe(1);
  });
});
