// @module-tag long
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {PageQuality} from '../app/run/quality/pageQuality.ts';
import {DEFAULT_THRESHOLDS} from '../app/run/quality/states.ts';
import {measureVisual} from '../app/run/quality/visual.ts';
import {Trace} from '../app/run/trace/trace.ts';
import {DEFAULT_MOVIE} from '../app/telling/movie/options.ts';
import {PageObject} from '../main/media/studio/pageObject.ts';
import {runDocument} from '../main/workers/testing/runs.ts';
import {fixturePage, type MeasuringPage, openMeasuring} from './measuring.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {whySkipped} from './window.ts';

// Compares the Speed Index that follows from a trace and measured curves with one that is taken only from the pixels of
// frames. The latter uses Gaussian windows as in Wang's paper, on what the panes show.

/** A part of the frames, px. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Frame {
  readonly width: number;
  readonly luma: Buffer;
}

describe.skipIf(whySkipped !== '')(`Speed Index${whySkipped}`, () => {
  let opened: TestStudio;
  let measuring: MeasuringPage;
  beforeAll(async () => {
    opened = await openStudio();
    measuring = await openMeasuring();
  });
  afterAll(async () => {
    await measuring?.close();
    await opened?.close();
  });

  test.each([
    ['gallery', 'sctp'],
    ['gallery-baseline', 'tcp'],
  ])('of %s over %s is within 3 in 100 of the one from pixels', MINUTES, async (name, pipeline) => {
    const scenario = {page: name, seed: 3, panes: [{pipeline}], path: {rateBps: 1_000_000, rttMs: 120, loss: 0.03}};
    const [data] = runDocument(scenario).panes;
    if (data === undefined) throw new Error('a run without a pane');
    expect(data.outcome).toBe('complete');
    const {quality} = await measuring.measure(await fixturePage(name));
    const visual = measureVisual(new Trace(data), quality as PageQuality, DEFAULT_THRESHOLDS);
    const ofFrames = await speedIndexOfFrames(scenario, data.endNs);
    expect(ofFrames).toBeGreaterThan(1000);
    expect(Math.abs((visual.speedIndexMs ?? 0) / ofFrames - 1)).toBeLessThan(0.03);
  });

  /** Returns the Speed Index in ms, from one frame for every {@link STEP_NS}. */
  async function speedIndexOfFrames(scenario: object, endNs: number): Promise<number> {
    const {stage, devTools} = await openStage(opened.studio);
    const look = {...DEFAULT_MOVIE.look, size: SIZE, captions: false};
    await stage.open(scenario as never, {...DEFAULT_MOVIE, look, title: false, results: false});
    const grabAt = async (tNs: number): Promise<string> => {
      await stage.show(tNs);
      return stage.grab();
    };
    const frameOf = async (png: string): Promise<Frame> => {
      const {data, info} = await sharp(Buffer.from(png, 'base64'))
        .removeAlpha()
        .toColourspace('b-w')
        .raw()
        .toBuffer({resolveWithObject: true});
      return {width: info.width, luma: data};
    };
    const whole = await frameOf(await grabAt(endNs));
    const window = await PageObject.find(devTools, 'window');
    const {pictures, lines} = (await window.call('eval', [`(${boxes})()`])) as {
      pictures: Box[];
      lines: Box[];
    };
    expect([pictures.length, lines.length > 10]).toEqual([11, true]);
    const likenesses = pictures.map(box => likenessTo(whole, inner(box)));
    const area = [...pictures, ...lines].reduce((sum, {width, height}) => sum + width * height, 0);
    const progressOf = (frame: Frame): number => {
      const seen = (box: Box, quality: number) => box.width * box.height * quality;
      return (
        (pictures.reduce((sum, box, i) => sum + seen(box, likenesses[i]?.(frame) ?? 0), 0) +
          lines.reduce((sum, box) => sum + seen(box, isSame(frame, whole, inner(box, 0)) ? 1 : 0), 0)) /
        area
      );
    };
    let [areaAboveNs, before] = [0, 0];
    const [top, bottom] = [
      Math.min(...pictures.map(box => box.top)),
      Math.max(...lines.map(box => box.top + box.height)),
    ];
    let last: {readonly page: Uint8Array; readonly progress: number} = {page: new Uint8Array(), progress: 0};
    for (let tNs = STEP_NS; tNs < endNs + STEP_NS; tNs += STEP_NS) {
      const frame = await frameOf(await grabAt(tNs));
      const page = frame.luma.subarray(Math.floor(top) * frame.width, Math.ceil(bottom) * frame.width);
      if (!page.equals(last.page)) last = {page, progress: progressOf(frame)};
      // between two frames, the change may be anywhere
      areaAboveNs += STEP_NS * (1 - (before + last.progress) / 2);
      before = last.progress;
    }
    expect(before).toBeCloseTo(1, 6);
    return areaAboveNs / 1e6;
  }
});

const STEP_NS = 100e6;

/** The limit is long, because about a hundred frames are compared. */
const MINUTES = {timeout: 240_000};

/** With this size the page is about as large as on the reference screen. */
const SIZE = {width: 1040, height: 1040};

/** Runs in the stage. Returns where pictures and lines of text are when the page is complete. */
function boxes(): {pictures: Box[]; lines: Box[]} {
  const frame = document.querySelector<HTMLIFrameElement>('.pane iframe');
  const inside = frame?.contentDocument;
  if (frame == null || inside?.body == null) throw new Error('there is no page');
  const at = frame.getBoundingClientRect();
  const scale = at.width / frame.offsetWidth;
  const placed = ({left, top, width, height}: DOMRect): Box => ({
    left: at.left + scale * left,
    top: at.top + scale * top,
    width: scale * width,
    height: scale * height,
  });
  const texts = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT);
  const lines: Box[] = [];
  while (texts.nextNode() !== null) {
    const range = inside.createRange();
    range.selectNodeContents(texts.currentNode);
    if (/\S/.test(range.toString())) lines.push(...Array.from(range.getClientRects(), placed));
  }
  return {pictures: Array.from(inside.images, image => placed(image.getBoundingClientRect())), lines};
}

/** Whole pixels of a box, without the outline that the panes draw within its edge. */
function inner({left, top, width, height}: Box, edge = 4): Box {
  const [x, y] = [Math.ceil(left + edge), Math.ceil(top + edge)];
  return {
    left: x,
    top: y,
    width: Math.floor(left + width - edge) - x,
    height: Math.floor(top + height - edge) - y,
  };
}

function isSame(a: Frame, b: Frame, box: Box): boolean {
  if (hasSamePixels(a, b, box)) return true;
  return at(box, (x, y) => Math.abs(lumaOf(a, x, y) - lumaOf(b, x, y))).every(off => off < 4);
}

function hasSamePixels(a: Frame, b: Frame, {left, top, width, height}: Box): boolean {
  const rows = Array.from({length: height}, (_, y) => (top + y) * a.width + left);
  return rows.every(row => a.luma.compare(b.luma, row, row + width, row, row + width) === 0);
}

/**
 * Returns a function that compares a box of a frame with the same box of the complete frame. It reuses its result if
 * the box has not changed since the previous frame, which is the case in most frames.
 */
function likenessTo(whole: Frame, box: Box): (frame: Frame) => number {
  let last: {readonly frame: Frame; readonly likeness: number} | undefined;
  return frame => {
    if (last === undefined || !hasSamePixels(frame, last.frame, box))
      last = {frame, likeness: likeness(frame, whole, box)};
    return last.likeness;
  };
}

/** The similarity in a box; 0 for a box of one colour, in which nothing is shown yet. */
function likeness(a: Frame, b: Frame, box: Box): number {
  const values = at(box, (x, y) => lumaOf(a, x, y));
  if (values.every(value => value === values[0])) return 0;
  let [sum, windows] = [0, 0];
  for (let y = box.top + 5; y < box.top + box.height - 5; y += 3) {
    for (let x = box.left + 5; x < box.left + box.width - 5; x += 3) {
      sum += windowLikeness(a, b, x, y);
      windows += 1;
    }
  }
  return sum / windows;
}

/** Wang et al. 2004, eq. 13 to 16. */
function windowLikeness(a: Frame, b: Frame, x: number, y: number): number {
  let [meanA, meanB, squareA, squareB, product] = [0, 0, 0, 0, 0];
  for (const {dx, dy, weight} of GAUSSIAN) {
    const p = lumaOf(a, x + dx, y + dy);
    const q = lumaOf(b, x + dx, y + dy);
    meanA += weight * p;
    meanB += weight * q;
    squareA += weight * p * p;
    squareB += weight * q * q;
    product += weight * p * q;
  }
  const covariance = product - meanA * meanB;
  const variances = squareA - meanA ** 2 + squareB - meanB ** 2;
  return (
    ((2 * meanA * meanB + 6.5025) * (2 * covariance + 58.5225)) /
    ((meanA ** 2 + meanB ** 2 + 6.5025) * (variances + 58.5225))
  );
}

const GAUSSIAN = Array.from({length: 121}, (_, i) => {
  const [dx, dy] = [(i % 11) - 5, Math.floor(i / 11) - 5];
  return {dx, dy, raw: Math.exp(-(dx * dx + dy * dy) / (2 * 1.5 ** 2))};
}).map(({dx, dy, raw}, _, all) => ({dx, dy, weight: raw / all.reduce((sum, each) => sum + each.raw, 0)}));

function lumaOf({width, luma}: Frame, x: number, y: number): number {
  return luma[y * width + x] ?? 0;
}

function at(box: Box, value: (x: number, y: number) => number): readonly number[] {
  return Array.from({length: box.width * box.height}, (_, i) =>
    value(box.left + (i % box.width), box.top + Math.floor(i / box.width)),
  );
}
