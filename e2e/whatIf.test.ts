import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {heldAt} from '../app/run/cause/held.ts';
import {DIRECTION, PACKET_KIND} from '../app/run/trace/columns.ts';
import {traces} from '../main/workers/testing/runs.ts';
import {markUnderCursor, openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

// The audience drops a packet, and sees what waits for it.

const PATH = {rateBps: 1_000_000, rttMs: 100, loss: 0};
const PANES = [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 11}];
const SCENARIO = {page: 'gallery', path: PATH, panes: PANES, discovery: 'complete'};
const NUMBER = 30;
const LAKE = 3;

describe.skipIf(whySkipped !== '')(`a what-if in the window${whySkipped}`, () => {
  let window: TestWindow;
  const trace = traces(SCENARIO)[0];
  const before = trace?.data.packets;
  const dataPackets = Array.from(before?.kind.keys() ?? []).filter(
    row => before?.direction[row] === DIRECTION.down && before.kind[row] === PACKET_KIND.data,
  );
  const lossy = traces({...SCENARIO, path: {...PATH, loss: {down: {packets: [NUMBER], applies: 'data'}, up: 0}}});
  beforeAll(async () => {
    window = await openUnmeasuredWindow(SCENARIO);
  });
  afterAll(() => window?.close());

  test('a click on a packet offers to drop it, and nothing moves; Delete delivers it, undo takes it back', async () => {
    const {page} = window;
    await page.keyboard.press('4');
    await seekNs(before?.sentNs[dataPackets[NUMBER] ?? -1]);
    const {x, y} = await markUnderCursor(page, /click to look inside/);
    const standing = await places();
    await page.mouse.click(x, y);
    await page.locator('.packet-menu').getByText(`data packet ${NUMBER} from the server`).waitFor();
    expect(await places()).toEqual(standing);
    await page.locator('.packet-menu').getByRole('button', {name: 'Drop this packet on every side'}).click();
    // the panel still shows the packet, and offers the opposite
    await offered('Deliver').waitFor();
    expect(await page.locator('.packet-menu').count()).toBe(0);
    await page.keyboard.press('Delete');
    await offered('Drop').waitFor();
    await page.keyboard.press('Control+z');
    await offered('Deliver').waitFor();
    await page.keyboard.press('Escape');
  });

  test('pages show the pictures that wait, until the packet arrives', async () => {
    const {page} = window;
    await page.keyboard.press('z');
    const [lost = -1] = lossy[0]?.droppedPackets() ?? [];
    const repairedNs = lossy[0]?.blockingOf(lost)?.repairedNs ?? 0;
    const t = Math.floor(repairedNs / 1e6 - 1) / 1000;
    await seek(page, t);
    for (const [pane, trace] of lossy.entries()) {
      const held = heldAt(trace, t * 1e9).objects.map(({object}) => object);
      await expect.poll(() => waitingIn(pane)).toEqual(held);
    }
    const [tcp = [], sctp = []] = await Promise.all([waitingIn(0), waitingIn(1)]);
    expect(tcp.length).toBeGreaterThan(1);
    expect(sctp.length).toBeLessThan(2);
    const words = page.locator('.pane').first().locator('.pane-waiting-text');
    expect(await words.textContent()).toMatch(/ pictures wait for one lost packet$/);
    await seek(page, Math.ceil(repairedNs / 1e6) / 1000);
    await expect.poll(() => waitingIn(0)).toEqual([]);
    expect(await words.textContent()).toBe('');
  });

  test('playing stops where data begins to wait, and Space goes on to the next stop', async () => {
    const {page} = window;
    await page.keyboard.press('Home');
    await page.keyboard.press(' ');
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    const first = await shownNs();
    const waiting = lossy.map(trace => heldAt(trace, first + 1e7).objects.length);
    expect(Math.max(...waiting)).toBeGreaterThan(0);
    await page.keyboard.press(' ');
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    expect(await shownNs()).toBeGreaterThan(first);
    await page.keyboard.press('z');
  });

  test('the context menu of an object’s line is about its packet nearest in time', async () => {
    const {page} = window;
    await page.keyboard.press('2');
    // this picture is complete before the packet that the test above drops
    const own = dataPackets.filter(row => trace?.objectsOf(row).some(({object}) => object === LAKE));
    const middle = own[Math.floor(own.length / 2)] ?? -1;
    await seekNs(before?.fateNs[middle]);
    const {x, y} = await markUnderCursor(page, /\/lake\.jpg: \d+ % of the bytes/);
    await page.mouse.click(x, y, {button: 'right'});
    await page
      .locator('.packet-menu')
      .getByText(`data packet ${dataPackets.indexOf(middle)} from the server`)
      .waitFor();
    await page.mouse.click(5, 5);
    await expect.poll(() => page.locator('.packet-menu').count()).toBe(0);
  });

  async function waitingIn(pane: number): Promise<readonly number[]> {
    const pictures = window.page.locator('.pane').nth(pane).locator('.waiting-picture');
    return pictures.evaluateAll(all => all.map(each => Number((each as HTMLElement).dataset['waiting'])));
  }

  function offered(what: 'Drop' | 'Deliver') {
    return window.page.getByRole('button', {name: `${what} this packet on every side`});
  }

  async function shownNs(): Promise<number> {
    return Number(await window.page.locator('.timeline-cursor').getAttribute('aria-valuenow')) * 1e9;
  }

  /** Shows the run at a time, rounded to 0.1 ms. */
  function seekNs(tNs = 0): Promise<void> {
    return seek(window.page, Number((tNs / 1e9).toFixed(4)));
  }

  /** Where the pages are in the window, and where the cursor is in the timeline. */
  function places(): Promise<readonly string[]> {
    return window.page.evaluate(() => [
      ...Array.from(document.querySelectorAll('.pane iframe'), page => JSON.stringify(page.getBoundingClientRect())),
      String(document.querySelector<HTMLElement>('.timeline-cursor')?.dataset['x']),
    ]);
  }
});
