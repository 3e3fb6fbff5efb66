import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, test} from 'vitest';
import {DEFAULT_MOVIE, type MovieOptions} from '../app/telling/movie/options.ts';
import {OutputFile} from '../main/files/outputFile.ts';
import {record, usualStages} from '../main/media/movie/record.ts';
import {StagePage} from '../main/media/movie/stagePage.ts';
import {PageObject} from '../main/media/studio/pageObject.ts';
import type {Studio} from '../main/media/studio/studio.ts';
import {openStudio} from './studio.ts';
import {DEMO_OF_SEED_1} from './window.ts';

// Benches of recording. They measure wall-clock times on this machine, so results are comparable only within one run.

const scenario = DEMO_OF_SEED_1;
/** With INTERLEAVE_BENCH=tiny the bench only checks that it runs at all. */
const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';
const FRAMES = isTiny ? 2 : 60;
const folder = mkdtempSync(join(tmpdir(), 'interleave-bench-'));

afterAll(() => rmSync(folder, {recursive: true, force: true}));

test.each([
  [1280, 720],
  [1920, 1080],
])('recording at %i × %i', async (width, height) => {
  const look = {...DEFAULT_MOVIE.look, size: {width, height}};
  const movie: MovieOptions = {...DEFAULT_MOVIE, look, fromS: 6, toS: isTiny ? 6.2 : 10};
  const {studio, close} = await openStudio();
  const stages = usualStages();
  const startMs = performance.now();
  let firstMs = 0;
  const {span} = await record({
    studio,
    scenario,
    movie,
    stages,
    out: format => OutputFile.create(join(folder, `bench.${format}`)),
    signal: new AbortController().signal,
    onProgress: done => {
      if (done === 1) firstMs = performance.now();
    },
  });
  const fps = (span.frames - 1) / ((performance.now() - firstMs) / 1000);
  console.log(
    `recording ${width} × ${height}, ${stages} pages at once: ${fps.toFixed(1)} frames a second (first one after ${((firstMs - startMs) / 1000).toFixed(1)} s)`,
  );
  console.log(`  mean times for one frame, ms: ${await stepTimes(studio, movie)}`);
  await close();
});

/**
 * Returns a text with the mean time of each part of the work for a frame, for both ways of recording: a stage that
 * films itself, and screenshots that are encoded. If pages of this browser cannot draw their own frames, the text says
 * only that.
 */
async function stepTimes(studio: Studio, movie: MovieOptions): Promise<string> {
  const film = await StagePage.open(studio);
  const settings = {container: 'mp4', size: movie.look.size, fps: movie.fps} as const;
  if (!(await film.prepareFilm(movie.look.size))) return 'in this browser, a page cannot draw its own frames';
  await film.open(scenario, movie);
  await film.startFilm(settings);
  const screen = await StagePage.open(studio);
  await screen.open(scenario, movie);
  const encoder = await PageObject.find(await studio.openPage('movie/encoder.html'), 'encoder');
  await encoder.call('open', [settings]);
  const sums = {step: 0, film: 0, 'film again': 0, grab: 0, 'encode what was grabbed': 0};
  let lastMs = performance.now();
  const count = (part: keyof typeof sums) => {
    sums[part] += performance.now() - lastMs;
    lastMs = performance.now();
  };
  for (let k = 0; k < FRAMES; k++) {
    const tNs = 6e9 + k * 4e7;
    lastMs = performance.now();
    await film.show(tNs);
    count('step');
    await film.film([{frame: 2 * k, tNs}]);
    count('film');
    await film.film([{frame: 2 * k + 1, tNs}]);
    count('film again');
    await screen.show(tNs);
    lastMs = performance.now();
    const png = await screen.grab();
    count('grab');
    await encoder.call('add', [k, png]);
    count('encode what was grabbed');
  }
  return Object.entries(sums)
    .map(([part, sum]) => `${part} ${(sum / FRAMES).toFixed(1)}`)
    .join(', ');
}
