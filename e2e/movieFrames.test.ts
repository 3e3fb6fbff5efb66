import {createHash} from 'node:crypto';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {frameNs, type Span, spanOf} from '../app/movie/frames.ts';
import {DEFAULT_MOVIE, type Look, type MovieOptions} from '../app/movie/options.ts';
import type {FrameTime} from '../app/movie/stage.ts';
import type {Json} from '../app/scenario/document.ts';
import {findPreset} from '../app/scenario/presets.ts';
import {openChromiumStudio} from '../main/movie/chromiumStudio.ts';
import {StagePage} from '../main/movie/stagePage.ts';
import {PageObject, type Studio} from '../main/movie/studio.ts';
import type {WebShell} from '../main/shells/web.ts';
import {openShell, whySkipped} from './window.ts';

// A film's frames are painted by their page itself. Here they stand beside what Chromium shows on a screen.

const [tcp, sctp] = [
  {pipeline: 'tcp', profile: 'classic'},
  {pipeline: 'sctp', profile: 'classic', streams: 11},
] as const;
const path = {rateBps: 400_000, rttMs: 350, loss: 0.03};
const changes = [
  {atMs: 2000, path: {loss: 0.1}},
  {atMs: 5000, path: {rateBps: 200_000, rttMs: 700}},
];
const full = {width: 1920, height: 1080};

describe.skipIf(whySkipped !== '')(`frames of a film${whySkipped}`, () => {
  let shell: WebShell;
  let studio: Studio;
  beforeAll(async () => {
    shell = await openShell();
    studio = await openChromiumStudio(shell.newAddress());
  });
  afterAll(async () => {
    await studio?.close();
    await shell?.close();
  });

  // a pixel that lies between two steps of a shrunk picture's filter gets the one here and the other there
  test.each<[string, {scenario: Json; look: Partial<Look>; speed: number; mostPixels: number}]>([
    ['the demo', {scenario: findPreset('n07-movie')?.scenario ?? {}, look: {}, speed: 8, mostPixels: 20}],
    [
      'lossy pictures on a path that changes',
      {
        scenario: {page: 'gallery-png-interlaced', path, panes: [tcp, sctp, {...sctp, streams: 1}], changes},
        look: {size: full, theme: 'dark', timeline: 'waterfall'},
        ...{speed: 12, mostPixels: 1000},
      },
    ],
    [
      'pictures from top to bottom',
      {
        scenario: {page: 'gallery-baseline', path, panes: [tcp, sctp]},
        look: {size: full, timeline: 'packets'},
        ...{speed: 6, mostPixels: 1000},
      },
    ],
    [
      'a text that grows, without captions',
      {
        scenario: {page: 'text-50k', path, panes: [tcp, sctp], changes},
        look: {timeline: 'window', captions: false},
        ...{speed: 3, mostPixels: 0},
      },
    ],
    [
      'blocks, in a square',
      {
        scenario: {
          page: {synthetic: {objects: 30, objectBytes: 8000, indexBytes: 3000}},
          path,
          panes: [tcp, sctp, sctp, tcp],
        },
        look: {size: {width: 1080, height: 1080}},
        // a screen dithers where a block's filling ends
        ...{speed: 8, mostPixels: 4000},
      },
    ],
  ])('are what a screen shows, to the pixel: %s', async (_, {scenario, look, speed, mostPixels}) => {
    const movie = {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, ...look}, fps: 24, speed};
    const [screen, film] = [await openStage(), await openStage()];
    const {endNs} = await screen.stage.open(scenario, movie);
    await startFilm(film.stage, scenario, movie);
    let different = 0;
    for (const time of changing(movie, spanOf(movie, endNs), endNs)) {
      const [digest] = (await film.stage.film([time])).digests;
      await screen.stage.show(time.tNs);
      const shown = await pixelsOf(await screen.stage.grab());
      if (createHash('sha256').update(shown).digest('hex') === digest) continue;
      different += 1;
      const drawn = await film.evaluate(`document.querySelector('.drawn').toDataURL()`);
      const {pixels, most} = difference(await pixelsOf(String(drawn).split(',')[1] ?? ''), shown);
      expect(pixels, `frame ${time.frame}`).toBeLessThanOrEqual(mostPixels);
      // one of the filter's 16 steps
      expect(most, `frame ${time.frame}`).toBeLessThanOrEqual(16);
    }
    if (mostPixels === 0) expect(different).toBe(0);
  });

  test('are the same without those before them', async () => {
    const movie = {...DEFAULT_MOVIE, fps: 24, speed: 8};
    const scenario = findPreset('n07-movie')?.scenario ?? {};
    const times = [-1e9, 0, 5e9, 5.2e9, 5.2e9, 9e9, 12e9, 24e9, 40e9].map((tNs, frame) => ({frame, tNs}));
    const {stage} = await openStage();
    await startFilm(stage, scenario, movie);
    const {digests} = await stage.film(times);
    expect(digests[4]).toBe(digests[3]);
    expect(new Set(digests).size).toBe(times.length - 1);
    for (const {frame, tNs} of times.filter((_, i) => i % 3 === 2)) {
      const fresh = await openStage();
      await startFilm(fresh.stage, scenario, movie);
      expect((await fresh.stage.film([{frame: 0, tNs}])).digests, `t = ${tNs}`).toEqual([digests[frame]]);
    }
  });

  /** A stage, and what evaluates in its page. */
  async function openStage() {
    const devTools = await studio.openPage('movie/stage.html');
    const stage = await StagePage.open({...studio, openPage: () => Promise.resolve(devTools)});
    const page = await PageObject.find(devTools, 'window');
    return {stage, evaluate: (expression: string) => page.call('eval', [expression])};
  }

  async function startFilm(film: StagePage, scenario: Json, movie: MovieOptions): Promise<void> {
    const {fps, look} = movie;
    expect(await film.prepareFilm(look.size)).toBe(true);
    await film.open(scenario, movie);
    expect(await film.startFilm({container: 'mp4', size: look.size, fps})).toBe(undefined);
  }
});

/** Of the cards, which stand still, a few frames; all others. */
function changing(movie: MovieOptions, span: Span, endNs: number): readonly FrameTime[] {
  return Array.from({length: span.frames}, (_, frame) => ({frame, tNs: frameNs(movie, span, frame)})).filter(
    ({frame, tNs}) => (tNs >= 0 && tNs <= endNs) || frame % 30 === 0,
  );
}

/** RGBA, of a PNG in Base64. */
function pixelsOf(png: string): Promise<Buffer> {
  return sharp(Buffer.from(png, 'base64')).ensureAlpha().raw().toBuffer();
}

/** How many pixels differ, and by how much of 255 at most. */
function difference(a: Buffer, b: Buffer): {readonly pixels: number; readonly most: number} {
  let [pixels, most] = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    const by = [0, 1, 2].map(i => Math.abs((a[at + i] ?? 0) - (b[at + i] ?? 0)));
    if (by.some(each => each > 0)) pixels += 1;
    most = Math.max(most, ...by);
  }
  return {pixels, most};
}
