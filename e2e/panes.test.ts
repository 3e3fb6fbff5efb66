import {readFileSync} from 'node:fs';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Trace} from '../app/run/trace/trace.ts';
import {runDocument} from '../main/workers/testing/runs.ts';
import {
  DEMO_OF_SEED_1,
  measured,
  openUnmeasuredWindow,
  openWindow,
  seek,
  type TestWindow,
  whySkipped,
} from './window.ts';

// Compares the default demo on the screen with its trace.

const scenario = DEMO_OF_SEED_1;

describe.skipIf(whySkipped !== '')(`the panes show exactly what was delivered by t${whySkipped}`, () => {
  const traces = runDocument(scenario).panes.map(data => new Trace(data));
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow(scenario);
  });
  afterAll(() => window?.close());

  test('each box has the percentage of its object in the trace, also when t goes back', async () => {
    for (const seconds of [7, 12, 30, 4.5, 12]) {
      await seek(window.page, seconds);
      for (const [pane, trace] of traces.entries()) {
        const shown = await percents(pane);
        const expected = [...shown.keys()].map(object => [object, trace.percentAt(object, seconds * 1e9)]);
        expect([...shown.entries()], `${seconds} s, pane ${pane + 1}`).toEqual(expected);
      }
    }
    expect((await percents(0)).size).toBe(11);
  });

  test('a box shows the pixels to which its prefix decodes', async () => {
    const lighthouse = readFileSync(new URL('../fixtures/pages/gallery/lighthouse.jpg', import.meta.url));
    for (const percent of [25, 50, 100]) {
      const reachedNs = traces[1]?.reachedNs(2, percent) ?? 0;
      await seek(window.page, reachedNs / 1e9);
      const prefix = lighthouse.subarray(0, traces[1]?.bytesAt(2, reachedNs));
      const query = {pane: 1, object: 2, prefix: `data:image/jpeg;base64,${prefix.toString('base64')}`};
      const {shown, wanted} = await window.page.evaluate(comparePixels, query);
      expect(wanted.length).toBeGreaterThan(1000);
      expect(shown === wanted, `at ${percent} %`).toBe(true);
    }
  });

  test('the same t gives the same pixels, whatever t was before', async () => {
    // until the pages are measured, headers show bytes instead of what can be seen
    await measured(window.page);
    // Chromium may decode a picture at a smaller size, so pictures are hidden here; the test above compares them
    await window.page.evaluate(stylePages, 'img {object-position: 9999px}');
    const look = () => window.page.locator('.panes').screenshot().then(pixelsOf);
    await seek(window.page, 7);
    const first = await look();
    for (const seconds of [20, 0, 11.3]) await seek(window.page, seconds);
    expect(mostDifference(await look(), first)).toBeGreaterThan(100);
    await seek(window.page, 7);
    // Chromium's smoothing of an edge varies by 3 of 255
    expect(mostDifference(await look(), first)).toBeLessThan(8);
    await window.page.evaluate(stylePages, '');
  });

  test('the shown page sends no request to the network, and its sandbox allows no script', async () => {
    const requests: string[] = [];
    window.page.on('request', request => {
      if (/^https?:/.test(request.url())) requests.push(request.url());
    });
    for (const seconds of [0, 3, 30]) await seek(window.page, seconds);
    expect(requests).toEqual([]);
    const sandbox = await window.page.locator('.pane iframe').first().getAttribute('sandbox');
    expect(sandbox).toBe('allow-same-origin');
  });

  /** Returns the percentage of each object that has a box. */
  async function percents(pane: number): Promise<ReadonlyMap<number, number>> {
    const rows = await window.page
      .frameLocator(`.pane >> nth=${pane} >> iframe`)
      .locator('[data-object]')
      .evaluateAll(boxes => boxes.map(({dataset}) => [Number(dataset['object']), Number(dataset['percent'])] as const));
    return new Map(rows);
  }
});

function pixelsOf(png: Buffer): Promise<Buffer> {
  return sharp(png).raw().toBuffer();
}

/** The largest difference of one colour of one pixel, 0 to 255. */
function mostDifference(one: Buffer, other: Buffer): number {
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - (other[i] ?? 0))), 0);
}

test.skipIf(whySkipped !== '')(`a synthetic page shows a block for each object${whySkipped}`, async () => {
  const window = await openUnmeasuredWindow({page: {synthetic: {objects: 40, objectBytes: 2000}}});
  await window.page.keyboard.press('End');
  const blocks = window.page.locator('.pane').first().locator('[data-object]');
  await expect
    .poll(() => blocks.evaluateAll(all => all.map(({dataset}) => dataset['percent'])))
    .toEqual(Array(41).fill('100'));
  // the blocks that a longer page adds are shown too
  const objects = window.page.getByLabel('Objects', {exact: true});
  await objects.fill('45');
  await objects.press('Enter');
  await window.page.locator('html[data-state=ready]').waitFor();
  // with the focus in the field, the key would move the caret
  await objects.blur();
  await window.page.keyboard.press('End');
  await expect
    .poll(() => blocks.evaluateAll(all => all.map(({dataset}) => dataset['percent'])))
    .toEqual(Array(46).fill('100'));
  await window.close();
});

test.skipIf(whySkipped !== '')(
  `a very tall page is scrolled to the end of its text${whySkipped}`,
  {tags: ['long']},
  async () => {
    const window = await openUnmeasuredWindow({page: 'text-50k', path: {rateBps: 56_000}});
    const {page} = window;
    const ends: number[] = [];
    for (const seconds of [2, 4, 7, 4]) {
      await seek(page, seconds);
      ends.push(await page.evaluate(lastLine));
    }
    for (const end of ends) {
      // the elements around the paragraph have margins below it
      expect(end).toBeGreaterThan(0.6);
      expect(end).toBeLessThan(1);
    }
    expect(ends[3]).toBe(ends[1]);
    expect(await page.locator('.pane-part').first().textContent()).toMatch(/^shows \d+–\d+ % of the height$/);
    await window.close();
  },
);

const NOTHING_MOVES = `nothing around the pages of %s moves when t changes or the pages are measured${whySkipped}`;
test.skipIf(whySkipped !== '').each(['gallery', 'text-50k'])(NOTHING_MOVES, {tags: ['long']}, testNothingMoves);

async function testNothingMoves(name: string): Promise<void> {
  const path = {rateBps: 56_000, rttMs: 200, loss: 0.043};
  const window = await openUnmeasuredWindow({page: name, path, panes: THREE_PANES});
  const {page} = window;
  const before = new Map<string, readonly string[]>();
  const look = async (check: (where: string, places: readonly string[]) => void): Promise<void> => {
    for (const mode of ['desk', 'presenting', 'presenting with settings']) {
      if (mode === 'presenting') await page.keyboard.press('p');
      if (mode === 'presenting with settings') await page.keyboard.press('c');
      for (const [width, height] of WINDOW_SIZES) {
        await page.setViewportSize({width, height});
        for (const key of ['Home', 'End']) {
          await page.keyboard.press(key);
          check(`${mode}, ${width}`, await page.evaluate(placesOf));
        }
      }
    }
    await page.keyboard.press('c');
    await page.keyboard.press('Escape');
  };
  await look((where, places) => {
    expect(places, where).toEqual(before.get(where) ?? places);
    before.set(where, places);
  });
  expect(await page.locator('.pane-measuring').count()).toBe(3);
  await window.measure();
  await look((where, places) => expect(places, where).toEqual(before.get(where)));
  expect(new Set([...before.values()].map(String)).size).toBe(6);
  await window.close();
}

const THREE_PANES = [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 10}, {pipeline: 'sctp', streams: 1}];
const WINDOW_SIZES = [
  [1280, 720],
  [1024, 768],
] as const;

/** Runs in the browser. Returns where each part of the stage is after layout, in CSS px. */
async function placesOf(): Promise<readonly string[]> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const parts = ['.heading', '.pane-page', '.timeline', '.legend', '.sentence', '.honesty'];
  return Array.from(document.querySelectorAll(parts.join()), part => {
    const {x, y, width, height} = part.getBoundingClientRect();
    return `${part.className} ${[x, y, width, height].map(each => each.toFixed(2)).join(' ')}`;
  });
}

/**
 * Runs in the browser. Returns where the first pane's last paragraph ends: 0 is the upper edge of the page's room, 1
 * the lower edge.
 */
function lastLine(): number {
  const frame = document.querySelector<HTMLIFrameElement>('.pane iframe');
  const room = document.querySelector('.pane-page')?.getBoundingClientRect();
  const last = Array.from(frame?.contentDocument?.querySelectorAll('p') ?? []).at(-1);
  if (frame === null || room === undefined || last === undefined) throw new Error('no page');
  const {top, width} = frame.getBoundingClientRect();
  const bottom = top + (last.getBoundingClientRect().bottom * width) / frame.offsetWidth;
  return (bottom - room.top) / room.height;
}

/** Runs in the browser. Adds a style sheet with this text to all shown pages. */
function stylePages(css: string): void {
  for (const {contentDocument, contentWindow} of document.querySelectorAll<HTMLIFrameElement>('.pane iframe')) {
    const view = contentWindow as (Window & typeof globalThis) | null;
    if (contentDocument === null || view === null) throw new Error('no page');
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(css);
    contentDocument.adoptedStyleSheets = [sheet];
  }
}

interface PixelQuery {
  readonly pane: number;
  readonly object: number;
  /** The picture's prefix as a data URL. */
  readonly prefix: string;
}

/**
 * Runs in the browser. Draws the picture of the box and a decode of the prefix on canvases. Returns both as data URLs.
 */
async function comparePixels({pane, object, prefix}: PixelQuery) {
  const frame = document.querySelectorAll<HTMLIFrameElement>('.pane iframe')[pane]?.contentDocument;
  const box = frame?.querySelector<HTMLImageElement>(`[data-object="${object}"]`);
  if (box == null) throw new Error(`no box of object ${object}`);
  const draw = (image: HTMLImageElement): string => {
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    return canvas.toDataURL();
  };
  const alone = new Image();
  alone.src = prefix;
  await alone.decode();
  return {shown: draw(box), wanted: draw(alone)};
}
