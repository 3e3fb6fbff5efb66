import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DIRECTION, PACKET_KIND} from '../app/run/trace/columns.ts';
import {traces} from '../main/workers/testing/runs.ts';
import {openUnmeasuredWindow, seek, whySkipped} from './window.ts';

// The audience drops a packet on one side only. Everything that compares the sides then says so.

const PATH = {rateBps: 1_000_000, rttMs: 100, loss: 0};
const SCENARIO = {
  page: 'gallery',
  path: PATH,
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 11}],
  discovery: 'complete',
};
const NUMBER = 30;
const TOLD = `HTTP/1.1 over TCP also loses data packet ${NUMBER}`;

describe.skipIf(whySkipped !== '')(`a packet that is dropped on one side only${whySkipped}`, () => {
  let window: Awaited<ReturnType<typeof openUnmeasuredWindow>>;
  const before = traces(SCENARIO)[0]?.data.packets;
  const packet = Array.from(before?.kind.keys() ?? []).filter(
    row => before?.direction[row] === DIRECTION.down && before.kind[row] === PACKET_KIND.data,
  )[NUMBER];
  const sentS = (before?.sentNs[packet ?? -1] ?? 0) / 1e9;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(SCENARIO);
  });
  afterAll(() => window?.close());

  test('is dropped by a button of its menu, and header, sentence and line about fairness name it', async () => {
    const {page} = window;
    await page.keyboard.press('4');
    await clickPacket();
    const menu = page.locator('.packet-menu');
    await menu.getByRole('button', {name: 'Drop this packet on every side'}).waitFor();
    await menu.getByRole('button', {name: 'Drop this packet on this side only'}).click();
    await offered('Deliver this packet on this side only').waitFor();
    // the details of the packet take the place of the line about fairness
    await page.keyboard.press('Escape');
    expect(await page.locator('.honesty summary').textContent()).toBe(
      `seed 1, one run: same page and path (1 Mbit/s, RTT 100 ms, loss 0 %); not the same losses: ${TOLD}`,
    );
    const [own, other] = await page.locator('.pane header').allTextContents();
    expect(own).toContain(`also loses data packet ${NUMBER}`);
    expect(other).not.toContain('also loses');
    await seek(page, sentS + 0.3);
    await window.measure();
    await expect
      .poll(() => page.locator('.lesson').textContent())
      .toMatch(
        /^Now a lost packet \(the sides lose different packets\) holds up \d+ pictures on HTTP\/1\.1 over TCP, none on HTTP over SCTP\.$/,
      );
    await page.locator('.honesty summary').click();
    expect(await page.locator('.honesty li').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining(`; but ${TOLD}`)]),
    );
    await page.locator('.honesty summary').click();
  });

  test('is delivered again by undo, and also by the key Delete', async () => {
    const {page} = window;
    await clickPacket();
    await page.keyboard.press('Control+z');
    await offered('Drop this packet on this side only').waitFor();
    await page.keyboard.press('Shift+Delete');
    await offered('Deliver this packet on this side only').waitFor();
    expect(await offered('Deliver this packet on every side').count()).toBe(0);
    await page.keyboard.press('Delete');
    await offered('Drop this packet on every side').waitFor();
  });

  test('can be dropped in presenter mode, and the heading says what differs', {tags: ['long']}, async () => {
    const {page} = window;
    await page.keyboard.press('Escape');
    await seek(page, Number(sentS.toFixed(4)));
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    await clickUnderCursor();
    await page.waitForTimeout(500);
    await page.locator('.packet-menu').getByRole('button', {name: 'Drop this packet on this side only'}).click();
    const heading = page.locator('.heading');
    await expect.poll(() => heading.textContent()).toContain(`left also loses data packet ${NUMBER}`);
    expect(await heading.textContent()).toContain('no loss except packets that single sides drop');
    await page.keyboard.press('Control+z');
    await expect.poll(() => heading.textContent()).not.toContain('also loses');
    await page.keyboard.press('Shift+Delete');
    await expect.poll(() => heading.textContent()).toContain('also loses');
  });

  function offered(name: string) {
    return window.page.getByRole('button', {name});
  }

  /** Clicks on the packet in the first pane's graph. */
  async function clickPacket(): Promise<void> {
    await seek(window.page, Number(sentS.toFixed(4)));
    await clickUnderCursor();
  }

  async function clickUnderCursor(): Promise<void> {
    const {page} = window;
    const area = await page.locator('.timeline').boundingBox();
    const at = Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
    if (area === null) throw new Error('no timeline');
    for (let y = 2; y < area.height; y += 3) {
      await page.mouse.move(area.x + at, area.y + y);
      const tips = await page.getByRole('tooltip').allTextContents();
      if (!tips.some(tip => /click to look inside/.test(tip))) continue;
      await page.mouse.click(area.x + at, area.y + y);
      return;
    }
    throw new Error('no packet under the cursor');
  }
});
