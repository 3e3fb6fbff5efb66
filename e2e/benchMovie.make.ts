import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, test} from 'vitest';
import {DEFAULT_MOVIE, type MovieOptions} from '../app/movie/options.ts';
import {findPreset} from '../app/scenario/presets.ts';
import {OutputFile} from '../main/files/outputFile.ts';
import {openChromiumStudio} from '../main/movie/chromiumStudio.ts';
import {MovieEncoder} from '../main/movie/movieEncoder.ts';
import {record, usualStages} from '../main/movie/record.ts';
import {StagePage} from '../main/movie/stagePage.ts';
import type {Studio} from '../main/movie/studio.ts';
import {openShell} from './window.ts';

// Recording's figures: wall-clock times of this machine, so compare them within one run only.

const scenario = findPreset('n07-movie')?.scenario ?? {};
/** With INTERLEAVE_BENCH=tiny it shows that it runs, not how fast. */
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
  const shell = await openShell();
  const studio = await openChromiumStudio(shell.newAddress());
  const stages = usualStages();
  const startMs = performance.now();
  let firstMs = 0;
  const {span} = await record({
    ...{studio, scenario, movie, stages, out: format => OutputFile.create(join(folder, `bench.${format}`))},
    signal: new AbortController().signal,
    onProgress: done => {
      if (done === 1) firstMs = performance.now();
    },
  });
  const fps = (span.frames - 1) / ((performance.now() - firstMs) / 1000);
  console.log(
    `recording ${width} × ${height}, ${stages} pages at once: ${fps.toFixed(1)} frames a second (first one after ${((firstMs - startMs) / 1000).toFixed(1)} s)`,
  );
  console.log(`  of a frame alone, ms: ${await stepTimes(studio, movie)}`);
  await studio.close();
  await shell.close();
});

/** Means over some frames, one thing at a time. */
async function stepTimes(studio: Studio, movie: MovieOptions): Promise<string> {
  const stage = await StagePage.open(studio);
  await stage.open(scenario, movie);
  const encoder = await MovieEncoder.open(studio);
  await encoder.start({container: 'mp4', size: movie.look.size, fps: movie.fps, frames: FRAMES});
  const file = await OutputFile.create(join(folder, 'steps.mp4'));
  const sink = encoder.sink(file);
  const sums = {step: 0, 'paint and grab': 0, 'grab again': 0, encode: 0};
  let lastMs = performance.now();
  const count = (part: keyof typeof sums) => {
    sums[part] += performance.now() - lastMs;
    lastMs = performance.now();
  };
  for (let k = 0; k < FRAMES; k++) {
    lastMs = performance.now();
    await stage.show(6e9 + k * 4e7);
    count('step');
    const png = await stage.grab();
    count('paint and grab');
    await stage.grab();
    count('grab again');
    await sink.add(png);
    count('encode');
  }
  await file.discard();
  return Object.entries(sums)
    .map(([part, sum]) => `${part} ${(sum / FRAMES).toFixed(1)}`)
    .join(', ');
}
