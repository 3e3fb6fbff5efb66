import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findPreset} from '../app/run/scenario/presets.ts';
import {VIEWS} from '../renderer/run/timeline/views/list.ts';
import {DEMO_OF_SEED_1, openInWindow, openUnmeasuredWindow, seek, whySkipped} from './window.ts';

// How the parts of the window share its room: panes, timeline, drawer and splitter, in windows of every size.

const PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 10},
  {pipeline: 'tcp', profile: 'modern'},
  {pipeline: 'sctp', streams: 1},
  {pipeline: 'tcp', profile: 'reno'},
  {pipeline: 'sctp', profile: 'modern'},
];
const SCENARIO = {page: 'gallery', path: {rateBps: 56_000, rttMs: 1080, loss: 0.043}};
/** The last two are a window of 1280 × 720 at 200 %, and a phone. */
const SIZES = [
  [1280, 720],
  [1920, 1080],
  [1024, 768],
  [640, 360],
  [390, 844],
] as const;
const PARTS = '.panes, .pane, .pane-paper, .transport, .timeline, .timeline-cursor span, .drawer, .toolbar';

describe.skipIf(whySkipped !== '')(`the layout of the window${whySkipped}`, () => {
  let window: Awaited<ReturnType<typeof openUnmeasuredWindow>>;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1);
    await showControls(window.page, false);
  });
  afterAll(() => window?.close());

  test('nothing moves when a loss, a packet or an object is chosen, nor when the choice ends', async () => {
    const {page} = window;
    await seek(page, 8);
    const drawer = page.locator('.drawer-contents');
    const before = await places(page);
    expect(before.length).toBeGreaterThan(8);
    for (const [open, text] of [
      [() => page.keyboard.press('.'), /Lost at/],
      [() => page.keyboard.press('i'), /packet \d+ of/],
      [
        () =>
          page
            .locator('.pane-glass')
            .first()
            .click({position: {x: 120, y: 80}}),
        /HOL blocked/,
      ],
    ] as const) {
      await open();
      await expect.poll(() => drawer.innerText()).toMatch(text);
      expect(await places(page)).toEqual(before);
    }
    // what explains the loss on the page and in the timeline is not covered
    expect(await page.evaluate(isCovered)).toBe(false);
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await expect.poll(() => drawer.innerText()).toMatch(/every side/);
    expect(await places(page)).toEqual(before);
  });

  test('t is at the same place on the scrubber, in the small pictures and in the graphs of every view', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    for (const [width, height] of SIZES.slice(0, 3)) {
      await page.setViewportSize({width, height});
      for (const {label, key} of VIEWS) {
        await page.keyboard.press(key);
        await page.locator('.timeline-bar .segments [aria-pressed=true]').getByText(label, {exact: true}).waitFor();
        for (const at of ['Home', '12', 'End']) {
          await (at === '12' ? seek(page, 12) : page.keyboard.press(at));
          await page.evaluate(twoFrames);
          const [scrubber = 0, strip, graph] = await page.evaluate(placesOfT);
          const where = `${width}x${height}, view ${label}, ${at}`;
          expect(Math.abs(scrubber - (graph ?? 0)), where).toBeLessThan(1.5);
          expect(Math.abs(scrubber - (strip ?? 0)), where).toBeLessThan(1.5);
        }
      }
    }
    await page.setViewportSize({width: 1280, height: 720});
    await page.keyboard.press('2');
  });

  test('the splitter keeps its place over a reload, respects least sizes, and is reset by a double click', async () => {
    const {page} = window;
    const splitter = page.getByRole('separator');
    const height = async (part: string) => Math.round((await page.locator(part).boundingBox())?.height ?? 0);
    const both = async () => [await height('.panes'), await height('.timeline')] as const;
    const [panes, timeline] = await both();
    const drag = async (by: number) => {
      const {x = 0, y = 0, width = 0, height: thick = 0} = (await splitter.boundingBox()) ?? {};
      await page.mouse.move(x + width / 2, y + thick / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 2, y + thick / 2 + by, {steps: 3});
      await page.mouse.up();
    };
    await drag(-40);
    await expect.poll(both).toEqual([panes - 40, timeline + 40]);
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    await page.locator('.pane').nth(1).waitFor();
    await expect.poll(both).toEqual([panes - 40, timeline + 40]);
    await drag(-600);
    await expect.poll(() => height('.panes')).toBeLessThan(panes - 60);
    const [least] = await both();
    expect(least).toBeGreaterThan(140);
    await drag(600);
    await expect.poll(() => height('.panes')).toBeGreaterThan(least);
    expect((await both())[1]).toBeGreaterThan(180);
    await splitter.dblclick();
    await expect.poll(both).toEqual([panes, timeline]);
  });

  test('graphs are folded to strips, which a reload keeps, and the panes get their room', async () => {
    const {page} = window;
    const height = async () => (await page.locator('.panes').boundingBox())?.height ?? 0;
    const before = await height();
    await page
      .getByRole('button', {name: /^graph of/})
      .first()
      .click();
    await page.keyboard.press('h');
    await page.keyboard.press('h');
    await expect.poll(height).toBeGreaterThan(before + 80);
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    await expect.poll(() => page.locator('.timeline-fold[aria-expanded=false]').count()).toBe(2);
    await page.keyboard.press('h');
    await expect.poll(height).toBe(before);
  });

  const readable = 'the pages of %i panes fill their width, the graphs are readable, and all can be reached';
  test.each([2, 4, 6])(readable, testReadable);
  test.each([1, 3, 5])(readable, {tags: ['long']}, testReadable);

  async function testReadable(count: number): Promise<void> {
    const {page} = window;
    await openInWindow(window, {...SCENARIO, panes: PANES.slice(0, count)});
    await showControls(page, false);
    await seek(page, 12);
    for (const [width, height] of SIZES) {
      const where = `${width}x${height}`;
      await page.setViewportSize({width, height});
      await page.evaluate(twoFrames);
      const {shares, plots, faults, columns} = await page.evaluate(measureStage);
      expect(Math.min(...shares), where).toBeGreaterThanOrEqual(0.75);
      expect(plots.length, where).toBe(count);
      expect(Math.min(...plots), where).toBeGreaterThanOrEqual(48);
      expect(faults, where).toEqual([]);
      if (width < 400) expect(columns, where).toBe(1);
      // in a wide window, whole pages are seen, or the same part of all
      const parts = await page.locator('.pane-part').allTextContents();
      expect(new Set(parts).size, where).toBe(1);
      if (width === 1280 && count > 1) expect(parts[0], where).toBe('');
    }
    await page.setViewportSize({width: 1280, height: 720});
  }

  test('a page of the web fills the width of four panes, with or without the settings beside them', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    await openInWindow(window, findPreset('web-wifi-bad')?.scenario ?? {});
    for (const areOpen of [true, false]) {
      await showControls(page, areOpen);
      await seek(page, 0.3);
      await page.evaluate(twoFrames);
      const {shares, plots} = await page.evaluate(measureStage);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.75);
      expect(plots).toHaveLength(4);
      expect(Math.min(...plots)).toBeGreaterThanOrEqual(48);
    }
  });

  test('small pictures of the pages below the scrubber follow the run while the window is idle, and lead to their times', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    await openInWindow(window, DEMO_OF_SEED_1);
    const strip = page.locator('.thumbnails');
    expect(await strip.getAttribute('data-state')).toBe('old');
    expect(await strip.locator('.thumbnails-name').allTextContents()).toEqual(['HTTP/1.1 over TCP', 'HTTP over SCTP']);
    await window.measure();
    await page.locator('.thumbnails[data-state=drawn]').waitFor();
    const first = await page.evaluate(inkOfThumbnails);
    expect(first).toHaveLength(2);
    // the pages begin almost white, and get their pictures
    for (const [start = 0, ...later] of first) {
      expect(start).toBeLessThan(Math.max(...later) / 2);
      expect(later.at(-1)).toBeGreaterThan(0.2);
    }
    const {x = 0, y = 0, width = 0} = (await strip.locator('canvas').first().boundingBox()) ?? {};
    const times = first[0]?.length ?? 0;
    const share = 7.5 / times;
    await page.mouse.click(x + share * width, y + 10);
    const endS = Number(await page.locator('.timeline-cursor').getAttribute('aria-valuemax'));
    await expect.poll(() => page.getByLabel('t in seconds').inputValue()).toBe(((8 / times) * endS).toFixed(2));
    // another run has other pictures
    await page.keyboard.press('n');
    await page.locator('.thumbnails[data-state=old]').waitFor();
    await page.locator('.thumbnails[data-state=drawn]').waitFor();
    expect(await page.evaluate(inkOfThumbnails)).not.toEqual(first);
    // they are complete as soon as the same run is shown in another size
    const before = await page.evaluate(inkOfThumbnails);
    await page.keyboard.press('1');
    await page.keyboard.press('2');
    await page.locator('.thumbnails[data-state=drawn]').waitFor();
    expect(await page.evaluate(inkOfThumbnails)).toEqual(before);
    // of six panes in a low window, the first and the last have a row
    await openInWindow(window, {...SCENARIO, panes: PANES});
    const names = () => strip.locator('.thumbnails-name').allTextContents();
    await expect.poll(names).toEqual([expect.stringMatching(/TCP.* classic/), expect.stringMatching(/SCTP.* modern/)]);
    await page.setViewportSize({width: 1920, height: 1440});
    await expect.poll(async () => (await names()).length).toBe(6);
    await page.setViewportSize({width: 1280, height: 720});
  });
});

/** In the browser: the share of coloured pixels in each thumbnail of each row. */
function inkOfThumbnails(): readonly (readonly number[])[] {
  return [...document.querySelectorAll<HTMLCanvasElement>('.thumbnails canvas')].map(canvas => {
    const times = Number(/(\d+) times/.exec(canvas.getAttribute('aria-label') ?? '')?.[1]);
    const width = canvas.width / times;
    return Array.from({length: times}, (_, slot) => {
      const {data} = canvas.getContext('2d')?.getImageData(slot * width, 0, width, canvas.height) ?? {data: []};
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) {
        const rgb = [data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0];
        if ((data[i + 3] ?? 0) > 0 && Math.max(...rgb) - Math.min(...rgb) > 40) coloured++;
      }
      return coloured / (data.length / 4);
    });
  });
}

/** In the browser: the x of t on the scrubber, in the small pictures and in the first graph, CSS px of the window. */
function placesOfT(): readonly number[] {
  const centreOf = (selector: string): number => {
    const {left = Number.NaN, width = 0} = document.querySelector(selector)?.getBoundingClientRect() ?? {};
    return left + width / 2;
  };
  const scrubber = document.querySelector<HTMLInputElement>('.scrubber');
  if (scrubber === null) return [];
  const {left, width} = scrubber.getBoundingClientRect();
  const thumb = 1.2 * Number.parseFloat(getComputedStyle(scrubber).fontSize);
  const share = scrubber.valueAsNumber / Number(scrubber.max);
  return [
    left + thumb / 2 + share * (width - thumb),
    centreOf('.thumbnails-cursor'),
    centreOf('.timeline-cursor span'),
  ];
}

async function showControls(page: Page, areOpen: boolean): Promise<void> {
  if ((await page.locator('.side').isVisible()) !== areOpen) await page.keyboard.press('c');
  await page.locator('.side').waitFor({state: areOpen ? 'visible' : 'hidden'});
}

/** Where the parts of the window are, px. */
function places(page: Page): Promise<readonly string[]> {
  return page.locator(PARTS).evaluateAll(all =>
    all.map(each => {
      const {x, y, width, height} = each.getBoundingClientRect();
      // the cursor follows t
      const left = each.matches('.timeline-cursor span') ? '' : x;
      return `${each.className} ${left} ${y} ${width} ${height}`;
    }),
  );
}

/** In the browser. */
async function twoFrames(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
}

/** In the browser: whether the drawer covers a pane or the timeline. */
function isCovered(): boolean {
  const drawer = document.querySelector('.drawer')?.getBoundingClientRect();
  return [...document.querySelectorAll('.pane, .timeline')].some(each => {
    const {bottom, top} = each.getBoundingClientRect();
    return drawer === undefined || (bottom > drawer.top + 0.5 && top < drawer.bottom);
  });
}

/**
 * In the browser: the share of each pane's width that its page fills, the heights of the graphs, the number of columns
 * of panes, and parts of the stage that overlap or cannot be scrolled into sight.
 */
function measureStage() {
  const box = (element: Element | null) => element?.getBoundingClientRect() ?? new DOMRect();
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const shares = all('.pane').map(pane => {
    const borders = 2;
    return box(pane.querySelector('.pane-paper')).width / (pane.getBoundingClientRect().width - borders);
  });
  // below the box of a graph is its strip of packets, of one line
  const em = Number.parseFloat(getComputedStyle(document.querySelector('.timeline') ?? document.body).fontSize);
  const plots = all('.timeline-cursor span').map(part => Math.round(box(part).height - em));
  const stage = document.querySelector('.stage');
  const faults: string[] = [];
  const parts = all('.stage > *, .panes > *').filter(each => !each.matches('.panes, .splitter'));
  for (const part of parts) {
    const {left, right, top, bottom} = box(part);
    if (stage === null || left < box(stage).left - 0.5 || right > box(stage).right + 0.5)
      faults.push(`outside: ${part.className}`);
    const end = bottom - box(stage).top + (stage?.scrollTop ?? 0);
    if (end > (stage?.scrollHeight ?? 0) + 0.5) faults.push(`not reached: ${part.className}`);
    for (const other of parts) {
      if (other === part) continue;
      const [across, down] = [
        Math.min(right, box(other).right) - Math.max(left, box(other).left),
        Math.min(bottom, box(other).bottom) - Math.max(top, box(other).top),
      ];
      if (across > 0.5 && down > 0.5) faults.push(`overlap: ${part.className} and ${other.className}`);
    }
  }
  for (const name of all('.thumbnails-name')) {
    if (name.clientWidth < name.scrollWidth) faults.push(`cut: ${name.textContent}`);
    if (box(name).right > box(name.parentElement).right) faults.push(`outside of its row: ${name.textContent}`);
  }
  const columns = new Set(all('.pane').map(pane => Math.round(box(pane).left))).size;
  return {shares, plots, faults, columns};
}
