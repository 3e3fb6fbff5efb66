import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DIRECTION} from '../app/run/trace/columns.ts';
import {traces} from '../main/workers/testing/runs.ts';
import {DEMO_OF_SEED_1, openUnmeasuredWindow, openView, seek, type TestWindow, whySkipped} from './window.ts';

// What is pointed at is highlighted in the panes, the timeline and the table. Keys control the timeline, too.

const scenario = DEMO_OF_SEED_1;

describe.skipIf(whySkipped !== '')(`the timeline${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(scenario);
  });
  afterAll(() => window?.close());

  test('pointing at a loss highlights the objects whose data was lost or held up', async () => {
    const [tcp] = traces(scenario);
    if (tcp === undefined) throw new Error('the preset has two panes');
    const {direction, fateNs} = tcp.data.packets;
    const held = (packet: number) => (tcp.blockingOf(packet)?.held ?? []).map(({object}) => object);
    const [loss = -1] = tcp
      .droppedPackets()
      .filter(packet => direction[packet] === DIRECTION.down)
      .sort((a, b) => held(b).length - held(a).length);
    const objects = new Set([...tcp.objectsOf(loss).map(({object}) => object), ...held(loss)]);
    expect(objects.size).toBeGreaterThan(1);
    await seek(window.page, (fateNs[loss] ?? 0) / 1e9);
    await pointAtMark();
    expect(await rows()).toEqual(objects);
    expect(await boxes()).toEqual(objects);
    // the tip must not cover the held-up data, which begins at the cursor and waits for seconds
    const [tip, cursor] = await Promise.all([
      window.page.getByRole('tooltip').boundingBox(),
      window.page.locator('.timeline-cursor').boundingBox(),
    ]);
    const [from, to] = [tip?.x ?? 0, (tip?.x ?? 0) + (tip?.width ?? 0)];
    const lossX = cursor?.x ?? 0;
    expect(to < lossX || from > lossX + 40).toBe(true);
  });

  test('the cursor crosses only the graphs', async () => {
    const {page} = window;
    await seek(page, 12);
    const timeline = await page.locator('.timeline').boundingBox();
    const parts = await page
      .locator('.timeline-cursor span')
      .evaluateAll(all => all.map(part => part.getBoundingClientRect()).map(({top, bottom}) => [top, bottom]));
    const em = 13;
    expect(parts).toHaveLength(2);
    const [[top = 0, bottom = 0] = [], [secondTop = 0, secondBottom = 0] = []] = parts;
    expect(top - (timeline?.y ?? 0)).toBeGreaterThan(em);
    expect(secondTop - bottom).toBeGreaterThan(em);
    expect((timeline?.y ?? 0) + (timeline?.height ?? 0) - secondBottom).toBeGreaterThan(em);
  });

  test('a view that needs more height gets it', async () => {
    const {page} = window;
    await page.mouse.move(700, 10);
    const height = async () => (await page.locator('.timeline').boundingBox())?.height ?? 0;
    const usual = await height();
    await page.keyboard.press('3');
    await expect.poll(height).toBeGreaterThan(usual * 1.1);
    await page.keyboard.press('2');
    await expect.poll(height).toBe(usual);
  });

  test('a resting pointer highlights nothing in presenter mode', {tags: ['long']}, async () => {
    const {page} = window;
    const tip = page.getByRole('tooltip');
    const [tcp] = traces(scenario);
    const [loss = 0] = tcp?.droppedPackets() ?? [];
    await seek(page, (tcp?.data.packets.fateNs[loss] ?? 0) / 1e9);
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    await pointAtMark();
    expect(await tip.isVisible()).toBe(true);
    await page.locator('html[data-summoned=nothing]').waitFor();
    await expect.poll(() => tip.isVisible()).toBe(false);
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor({state: 'detached'});
    await page.mouse.move(700, 10);
  });

  test('a key shows when the page ends by the model, but not in presenter mode', async () => {
    const {page} = window;
    const button = page.locator('.timeline-bar button', {hasText: 'model'});
    const endOfAxis = () => page.locator('.timeline-cursor').getAttribute('aria-valuemax').then(Number);
    const picture = () =>
      page.locator('.timeline canvas').evaluate(canvas => (canvas as HTMLCanvasElement).toDataURL());
    const [endS, plain] = [await endOfAxis(), await picture()];
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('m');
    await expect.poll(endOfAxis).toBeGreaterThan(endS * 1.1);
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    expect(await endOfAxis()).toBe(endS);
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor({state: 'detached'});
    await page.mouse.move(700, 10);
    await openView(page);
    await button.click();
    await page.keyboard.press('Escape');
    await expect.poll(picture).toBe(plain);
  });

  test('a row of the table highlights its object, also by keyboard, and opens its details', async () => {
    const {page} = window;
    await page.mouse.move(700, 10);
    await page.getByRole('button', {name: 'lighthouse.jpg'}).focus();
    await expect.poll(rows).toEqual(new Set([2]));
    expect(await boxes()).toEqual(new Set([2]));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.details tbody tr').count()).toBe(2);
    await page.keyboard.press('Escape');
    expect(await page.locator('.details').count()).toBe(0);
  });

  test('keys zoom around t, pan, and show the whole run again', async () => {
    const {page} = window;
    const x = async () => Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
    await page.mouse.move(700, 10);
    await seek(page, 8);
    const before = await x();
    await seek(page, 7);
    const atSeven = await x();
    for (const key of ['+', '+']) await page.keyboard.press(key);
    await expect.poll(x).toBeCloseTo(atSeven);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(x).toBeLessThan(atSeven - 100);
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(x).toBeCloseTo(atSeven);
    await seek(page, 8);
    await expect.poll(x).toBeCloseTo(atSeven + (before - atSeven) * 2.25);
    await page.keyboard.press('0');
    await expect.poll(x).toBeCloseTo(before);
  });

  test('a click opens a packet, arrows go to its neighbours, and Escape closes the details', async () => {
    const {page} = window;
    const [tcp] = traces(scenario);
    const {direction, sentNs} = tcp?.data.packets ?? {direction: [], sentNs: []};
    const packet = sentNs.findIndex((ns, row) => direction[row] === DIRECTION.down && ns > 5e9);
    await page.mouse.move(700, 10);
    await page.keyboard.press('4');
    await seek(page, (sentNs[packet] ?? 0) / 1e9);
    const t = () => page.getByLabel('t in seconds').inputValue();
    const before = await t();
    const panel = page.getByRole('complementary', {name: 'packet'});
    await pointAtMark('click to look inside');
    await page.mouse.down();
    await page.mouse.up();
    await panel.getByText('TCP', {exact: true}).waitFor();
    const title = async () => Number(/packet (\d+) of/.exec((await panel.textContent()) ?? '')?.[1]);
    const first = await title();
    for (const part of ['sequence number', 'delivered at', 'by the server', 'carries'])
      expect(await panel.textContent()).toContain(part);
    await page.keyboard.press('ArrowRight');
    await expect.poll(title).toBe(first + 1);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(title).toBe(first - 1);
    expect(await t()).toBe(before);
    await page.keyboard.press('Escape');
    await panel.waitFor({state: 'detached'});
    // and by the keyboard alone
    await page.keyboard.press('i');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
  });

  /** Moves the pointer down along the cursor, to the first mark whose tip has this text. */
  async function pointAtMark(text = 'Lost at'): Promise<void> {
    const {page} = window;
    const area = await page.locator('.timeline').boundingBox();
    const x = Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
    if (area === null) throw new Error('no timeline');
    for (let y = 0; y < area.height; y += 4) {
      await page.mouse.move(area.x + x, area.y + y);
      const tips = await page.getByRole('tooltip').allTextContents();
      if (tips.some(tip => tip.includes(text))) return;
    }
    throw new Error('no mark under the cursor');
  }

  /** Objects whose row in the table is not dimmed. */
  async function rows(): Promise<ReadonlySet<number>> {
    const dimmed = await window.page
      .locator('.objects tbody tr')
      .evaluateAll(all => all.map(row => row.classList.contains('dimmed')));
    return new Set([...dimmed.keys()].filter(object => !dimmed[object]));
  }

  /** Objects whose box in the first pane has a thick frame. */
  async function boxes(): Promise<ReadonlySet<number>> {
    const frames = await window.page
      .frameLocator('.pane >> nth=0 >> iframe')
      .locator('[data-object]')
      .evaluateAll(all => all.map(box => [Number(box.dataset['object']), box.style.outlineWidth] as const));
    return new Set(frames.filter(([, width]) => width === '6px').map(([object]) => object));
  }
});
