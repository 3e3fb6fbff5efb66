// @module-tag long
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {DEFAULT_MOVIE, type MovieOptions, type Size} from '../app/telling/movie/options.ts';
import type {StagePage} from '../main/media/movie/stagePage.ts';
import {PageObject} from '../main/media/studio/pageObject.ts';
import type {Studio} from '../main/media/studio/studio.ts';
import {tilesOf} from '../renderer/movie/pixelDigest.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {DEMO_OF_SEED_1, whySkipped} from './window.ts';

// The page of a film paints the frames itself. These tests compare them with what Chromium shows on a screen.

describe.skipIf(whySkipped !== '')(`frames of a film${whySkipped}`, () => {
  let opened: TestStudio;
  let studio: Studio;
  beforeAll(async () => {
    opened = await openStudio();
    studio = opened.studio;
  });
  afterAll(async () => {
    await opened?.close();
  });

  // A pixel may differ by one step of a filter, which has 16 steps, in shadows and where tiles of the film meet. It may
  // differ by up to three steps at the rim of a dot or letter, if a border of the film's or the screen's tiles cuts it.
  test('equal what a screen shows, except for small differences in few pixels', async () => {
    const scenario = DEMO_OF_SEED_1;
    const movie = {...DEFAULT_MOVIE, fps: 24};
    const [screen, film] = [await openStage(studio), await openStage(studio)];
    await screen.stage.open(scenario, movie);
    const page = await PageObject.find(film.devTools, 'window');
    await startFilm(film.stage, scenario, movie);
    for (const [frame, tNs] of [-1e9, 0, 5e9, 9e9, 12e9, 24e9, 40e9].entries()) {
      await film.stage.film([{frame, tNs}]);
      await screen.stage.show(tNs);
      const shown = await pixelsOf(await screen.stage.grab());
      const drawn = await page.call('eval', [`document.querySelector('.drawn').toDataURL()`]);
      const {pixels, most, mostInside} = difference(
        await pixelsOf(String(drawn).split(',')[1] ?? ''),
        shown,
        movie.look.size,
      );
      expect(pixels, `frame ${frame}`).toBeLessThan(10_000);
      expect(mostInside, `frame ${frame}`).toBeLessThanOrEqual(16);
      expect(most, `frame ${frame}`).toBeLessThanOrEqual(48);
    }
  });

  async function startFilm(film: StagePage, scenario: Json, movie: MovieOptions): Promise<void> {
    const {fps, look} = movie;
    expect(await film.prepareFilm(look.size)).toBe(true);
    await film.open(scenario, movie);
    expect(await film.startFilm({container: 'mp4', size: look.size, fps})).toBe(undefined);
  }
});

/** Returns the RGBA values of a PNG in Base64. */
function pixelsOf(png: string): Promise<Buffer> {
  return sharp(Buffer.from(png, 'base64')).ensureAlpha().raw().toBuffer();
}

/** The width of Chromium's tiles when it renders in software. */
const SCREEN_TILE_PX = 256;

interface Difference {
  /** How many pixels differ. */
  readonly pixels: number;
  /** The largest difference of a colour, of 255. */
  readonly most: number;
  /** The largest difference that is not near a border of the film's or the screen's tiles. */
  readonly mostInside: number;
}

function difference(a: Buffer, b: Buffer, size: Size): Difference {
  const borders = new Set(tilesOf(size).flatMap(({left, right}) => [left, right]));
  const isBorder = (x: number) => borders.has(x) || x % SCREEN_TILE_PX === 0;
  const isNear = (x: number) => [-4, -3, -2, -1, 0, 1, 2, 3].some(by => isBorder(x - by));
  let [pixels, most, mostInside] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 4) {
    const by = [0, 1, 2].map(i => Math.abs((a[at + i] ?? 0) - (b[at + i] ?? 0)));
    if (by.every(each => each === 0)) continue;
    pixels += 1;
    most = Math.max(most, ...by);
    if (!isNear((at / 4) % size.width)) mostInside = Math.max(mostInside, ...by);
  }
  return {pixels, most, mostInside};
}
