import {readFileSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {program} from '../main/files/program.ts';
import {DEMO_OF_SEED_1, openUnmeasuredWindow, openWindow, type TestWindow, whySkipped} from './window.ts';

// Many seeds in the window: they are run in the background, pointed at and opened, and the typical one is found.

describe.skipIf(whySkipped !== '')(`many seeds${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow(DEMO_OF_SEED_1);
  });
  afterAll(() => window?.close());

  test('run while the demo plays, and are shown as dots, with the shown run marked', async () => {
    const {page} = window;
    await page.keyboard.press('d');
    await page.getByLabel('seeds', {exact: true}).selectOption('20');
    await page.keyboard.press(' ');
    await page.locator('.seeds-verdict', {hasText: /of 20 runs/}).waitFor();
    const charts = page.locator('.seed-chart');
    expect(await charts.locator('.seed-title').allTextContents()).toEqual([
      'all ten pictures recognisable',
      'Speed Index',
      'whole page, T from the first request',
    ]);
    for (let i = 0; i < 3; i++) expect(await charts.nth(i).locator('.seed-dot').count()).toBe(40);
    expect(await charts.nth(2).locator('.seed-time').allTextContents()).toEqual([
      expect.stringMatching(/^seed 1: \d+\.\d s$/),
      expect.stringMatching(/^seed 1: \d+\.\d s$/),
    ]);
    await page.getByRole('button', {name: 'pause'}).click();
    const t = Number(await page.getByLabel('t in seconds').inputValue());
    expect(t).toBeGreaterThan(0);
  });

  test('are named when pointed at, and opened by a click, which is one step to undo', async () => {
    const {page} = window;
    const chart = page.locator('.seed-chart[data-measure=page-time]');
    const dot = chart.locator('[data-seed="13"]').first();
    const {x, y, width, height} = (await dot.boundingBox()) ?? {x: 0, y: 0, width: 0, height: 0};
    await page.mouse.move(x + width / 2, y + height / 2);
    const named = chart.locator('.seed-time').first();
    await expect.poll(() => named.textContent()).toMatch(/^seed 13: /);
    const told = await named.textContent();
    await page.mouse.click(x + width / 2, y + height / 2);
    const seed = page.getByLabel('Seed', {exact: true});
    await expect.poll(() => seed.inputValue()).toBe('13');
    // the run has the same time as its dot
    await expect
      .poll(() => page.locator('.metrics').getByRole('row', {name: 'page time T'}).textContent())
      .toContain(told?.replace(/^seed 13: (\d+\.\d) s$/, '$1').slice(0, -1));
    expect(await chart.locator('.seed-dot').count()).toBe(40);
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe('1');
  });

  test('are visited and named with arrow keys, and opened with Enter', async () => {
    const {page} = window;
    const chart = page.locator('.seed-chart[data-measure=page-time]');
    // charts are drawn anew a few times a second
    await chart.locator('[aria-selected=true][data-seed="1"]').first().waitFor({state: 'attached'});
    // a key gives focus as Tab does; after a click, keys would still control the run
    await page.getByTitle('back to the timeline (D)').press('Shift');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
    expect(await chart.evaluate(element => element === document.activeElement)).toBe(true);
    const active = async () => {
      const id = await chart.getAttribute('aria-activedescendant');
      return chart.locator(`[id="${id}"]`).getAttribute('aria-label');
    };
    expect(await active()).toMatch(/^HTTP\/1.1 over TCP, seed 1: \d+\.\d s$/);
    const t = await page.getByLabel('t in seconds').inputValue();
    const times: number[] = [];
    await page.keyboard.press('Home');
    for (let i = 0; i < 20; i++) {
      times.push(Number(/: (.*) s$/.exec((await active()) ?? '')?.[1]));
      await page.keyboard.press('ArrowRight');
    }
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await page.keyboard.press('ArrowDown');
    expect(await active()).toMatch(/^HTTP over SCTP, seed/);
    // the mark is at this dot, and t has not changed
    const last = chart.locator('.seed-mark.focused');
    const dot = chart.locator(`[id="${await chart.getAttribute('aria-activedescendant')}"]`);
    expect(await last.getAttribute('cx')).toBe(await dot.getAttribute('cx'));
    expect(await page.getByLabel('t in seconds').inputValue()).toBe(t);
    await page.keyboard.press('Enter');
    const seed = page.getByLabel('Seed', {exact: true});
    await expect.poll(() => seed.inputValue()).toBe(await dot.getAttribute('data-seed'));
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe('1');
    await page.keyboard.press('Shift+Tab');
    expect(await last.count()).toBe(0);
  });

  test('are saved as an SVG of the shown charts', async () => {
    const {page} = window;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', {name: 'SVG', exact: true}).click(),
    ]);
    expect(download.suggestedFilename()).toBe('interleave-seeds-1-20.svg');
    const svg = readFileSync(await download.path(), 'utf8');
    // three charts of two rows: 20 dots, and the mark of the shown run
    expect(svg.match(/<circle /g)).toHaveLength(3 * 2 * 21);
    expect(svg).toContain(
      '>seeds 1 to 20, page gallery, 56 kbit/s, RTT 1080 ms, 4.3 % of packets lost in both directions</text>',
    );
    const times = await page.locator('.seed-time').allTextContents();
    expect(svg).toContain(`<metadata>${program()}</metadata></svg>`);
    for (const time of times) expect(svg).toContain(`>${time}</text>`);
  });

  test('belong to the shown scenario: they are run again for another one', async () => {
    const {page} = window;
    const verdict = page.locator('.seeds-verdict');
    // the verdict ranks the shown run, which has the previous seed until the new run is computed
    await page.locator('html[data-state=ready]').waitFor();
    const before = await verdict.textContent();
    await page.getByLabel('Loss, slider').fill('0');
    await expect.poll(() => verdict.textContent()).not.toBe(before);
    const dots = () => page.locator('.seed-chart').first().locator('.seed-dot').count();
    await expect.poll(dots).toBe(40);
    await page.keyboard.press('Control+z');
    await expect.poll(() => verdict.textContent()).toBe(before);
  });

  test('the default demo has the typical seed, and says so', async () => {
    const {page, close} = await openUnmeasuredWindow();
    await page.locator('.honesty', {hasText: 'seed 173, the typical one of 200: '}).waitFor();
    await close();
  });

  test('can be cancelled and then continued', async () => {
    const {page} = window;
    await page.getByLabel('seeds', {exact: true}).selectOption('1000');
    await page.getByTitle('find the typical seed among 1 to 1000 (Shift N: among 1 to 200)').waitFor();
    await page.getByRole('button', {name: 'Cancel'}).click();
    await page.getByRole('button', {name: 'Go on'}).waitFor();
    const dots = () => page.locator('.seed-chart').first().locator('.seed-dot').count();
    const there = await dots();
    expect(there).toBeLessThan(2000);
    await page.getByRole('button', {name: 'Go on'}).click();
    await expect.poll(dots).toBeGreaterThan(there);
    await page.getByRole('button', {name: 'Cancel'}).click();
  });

  test('are hidden by the key of a timeline, and another key finds the typical seed', async () => {
    const {page} = window;
    await page.keyboard.press('2');
    await page.locator('.timeline').waitFor();
    const honesty = page.locator('.honesty');
    const summary = honesty.locator('summary');
    await page.keyboard.press('Shift+N');
    await summary.filter({hasText: 'the typical one of 200'}).waitFor();
    await page.keyboard.press('n');
    await expect.poll(() => honesty.textContent()).not.toContain('typical');
    await page.keyboard.press('Control+z');
    await summary.filter({hasText: 'the typical one of 200'}).waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.getByLabel('Seed', {exact: true}).inputValue()).toBe('1');
  });
});
