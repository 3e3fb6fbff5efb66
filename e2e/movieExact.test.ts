// @module-tag long
import {copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {frameTimes, spanOf} from '../app/telling/movie/frameTimes.ts';
import type {FrameTime} from '../app/telling/movie/movieStage.ts';
import {DEFAULT_MOVIE, type Look, type MovieOptions} from '../app/telling/movie/options.ts';
import {StagePage} from '../main/media/movie/stagePage.ts';
import {PageObject} from '../main/media/studio/pageObject.ts';
import type {Studio} from '../main/media/studio/studio.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {DEMO_OF_SEED_1, whySkipped} from './window.ts';

// A film draws only what has changed since the previous frame. These tests compare each frame with the same frame drawn
// completely, by a page that takes the frames in the opposite order.

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

describe.skipIf(whySkipped !== '')(`each frame of a film${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-movie-exact-'));
  let opened: TestStudio;
  let studio: Studio;
  beforeAll(async () => {
    opened = await openStudio();
    studio = opened.studio;
  });
  afterAll(async () => {
    await opened?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  test.each<[string, {scenario: Json; look: Partial<Look>; speed: number; mostShare: number}]>([
    ['the demo', {scenario: DEMO_OF_SEED_1, look: {axis: 'visual'}, speed: 8, mostShare: 0.55}],
    [
      'lossy pictures on a path that changes',
      {
        scenario: {page: 'gallery-baseline', path, panes: [tcp, sctp, {...sctp, streams: 1}], changes},
        look: {size: full, theme: 'dark', timeline: 'waterfall'},
        speed: 32,
        mostShare: 0.85,
      },
    ],
    [
      'a text that grows',
      {
        scenario: {page: 'text-50k', path, panes: [tcp, sctp], changes},
        look: {timeline: 'window', captions: false},
        speed: 4,
        mostShare: 0.6,
      },
    ],
    [
      'blocks, in a square, and connections that fail',
      {
        scenario: {
          page: {synthetic: {objects: 30, objectBytes: 8000, indexBytes: 3000}},
          path,
          panes: [tcp, sctp, sctp, tcp],
          timeLimitMs: 9000,
        },
        look: {size: {width: 1080, height: 1080}, timeline: 'packets'},
        speed: 8,
        mostShare: 0.95,
      },
    ],
  ])('equals a complete drawing, after other frames: %s', async (_, {scenario, look, speed, mostShare}) => {
    const movie = {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, ...look}, fps: 12, speed};
    const film = await openFilm(scenario, movie);
    const times = timesOf(movie, film.endNs);
    const {digests} = await film.stage.film(times);
    const draws = await film.draws();
    const whole = await openFilm(scenario, movie, DRAWN_WHOLE);
    const backwards = await whole.stage.film(times.map(({frame}, i) => ({frame, tNs: times.at(-1 - i)?.tNs ?? 0})));
    expect(backwards.digests.toReversed()).toEqual(digests);
    expect(draws.pixels / (await whole.draws()).pixels).toBeLessThan(mostShare);
  });

  test.each([
    ['others make room', ''],
    [
      'a style asks for their address',
      'img { width: 100px; height: 80px } p { text-align: right } img[src^=blob] ~ p { color: red }',
    ],
  ])('equals a complete drawing if pictures change other parts of the page: %s', async (name, css) => {
    const page = pageOf(name, css);
    const movie = {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, size: {width: 640, height: 360}}, fps: 24};
    const scenario = {page, path, panes: [tcp, sctp]};
    const film = await openFilm(scenario, movie);
    const times = Array.from({length: 40}, (_, frame) => ({
      frame,
      tNs: Math.round((film.endNs * frame) / 39),
    }));
    const whole = await openFilm(scenario, movie, DRAWN_WHOLE);
    expect((await film.stage.film(times)).digests).toEqual((await whole.stage.film(times)).digests);
  });

  test.each(['filter: drop-shadow(0 0 30px red)', 'f\\69lter: blur(3px)', 'mix-blend-mode: screen'])(
    'is grabbed if drawing it might give another result each time: %s',
    async style => {
      const scenario = {page: pageOf(style.slice(0, 5), `img { ${style} }`), path, panes: [tcp]};
      const stage = await StagePage.open(studio);
      expect(await stage.open(scenario, DEFAULT_MOVIE)).toMatchObject({isFilmable: false});
    },
  );

  test('is grabbed if a style sheet that the page imports has a filter', async () => {
    const page = pageOf('linked', '@import "sheet.css";');
    writeFileSync(join(page, 'sheet.css'), 'img { filter: blur(3px) }');
    const stage = await StagePage.open(studio);
    expect(await stage.open({page, path, panes: [tcp]}, DEFAULT_MOVIE)).toMatchObject({isFilmable: false});
  });

  test('is drawn once for all frames that look the same', async () => {
    const movie = {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, size: {width: 640, height: 360}}};
    const {stage, draws, endNs} = await openFilm(DEMO_OF_SEED_1, movie);
    const s = 1e9;
    const looks = [[-3 * s, -2 * s, -s], [0], [5 * s], [endNs, endNs + s], [endNs + 2 * s, endNs + 6 * s]];
    const times = looks.flat().map((tNs, frame) => ({frame, tNs}));
    const {digests} = await stage.film(times);
    expect(digests).toEqual(looks.flatMap((same, i) => same.map(() => digests[looks.slice(0, i).flat().length])));
    expect(new Set(digests).size).toBe(looks.length);
    expect((await draws()).paints).toBe(looks.length);
  });

  /** A page of pictures with text beside them. */
  function pageOf(name: string, css: string): string {
    const page = join(folder, name);
    mkdirSync(page);
    for (const file of PICTURES)
      copyFileSync(new URL(`../fixtures/pages/gallery/${file}`, import.meta.url), join(page, file));
    const pictures = PICTURES.map(file => `<img src=${file}><p>beside ${file}</p>`);
    writeFileSync(join(page, 'index.html'), `<style>${css}</style>${pictures.join('')}`);
    return page;
  }

  /** Opens a stage that films. Returns it, the counts of what it drew, and the end of its run. */
  async function openFilm(scenario: Json, movie: MovieOptions, change = '') {
    const {fps, look} = movie;
    const {stage, devTools} = await openStage(studio);
    const page = await PageObject.find(devTools, 'window');
    expect(await stage.prepareFilm(look.size)).toBe(true);
    await page.call('eval', [`${change};${COUNTED}`]);
    const {endNs} = await stage.open(scenario, movie);
    expect(await stage.startFilm({container: 'mp4', size: look.size, fps})).toBe(undefined);
    const draws = () => page.call('eval', ['window.draws']) as Promise<{paints: number; pixels: number}>;
    return {stage, draws, endNs};
  }
});

const PICTURES = ['lake.jpg', 'dunes.jpg', 'planet.jpg'];

/** Runs in a page, which then draws everything whenever it draws anything. */
const DRAWN_WHOLE = `{
  const {requestPaint} = HTMLCanvasElement.prototype;
  let paints = 0;
  HTMLCanvasElement.prototype.requestPaint = function () {
    // any style may depend on this attribute, so the whole page has changed
    document.documentElement.dataset.paints = String(++paints);
    requestPaint.call(this);
  };
}`;

/** Runs in a page. Counts how often the page requests a paint, and how many pixels it draws. */
const COUNTED = `{
  const draws = (window.draws = {paints: 0, pixels: 0});
  const {drawElementImage, rect} = CanvasRenderingContext2D.prototype;
  const {requestPaint} = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.requestPaint = function () {
    draws.paints += 1;
    requestPaint.call(this);
  };
  let pixels = 0;
  CanvasRenderingContext2D.prototype.rect = function (x, y, width, height) {
    pixels = width * height;
    rect.call(this, x, y, width, height);
  };
  CanvasRenderingContext2D.prototype.drawElementImage = function (...args) {
    draws.pixels += pixels;
    return drawElementImage.apply(this, args);
  };
}`;

/** All frames of the run, and a few of the parts that stand still. */
function timesOf(movie: MovieOptions, endNs: number): readonly FrameTime[] {
  const {fromNs, frames, speed} = spanOf(movie, endNs);
  const times = frameTimes([{scene: 0, fromNs, speed, frames}], movie.fps);
  return times.filter(({frame, tNs}) => (tNs >= 0 && tNs <= endNs) || frame % 6 === 0);
}
