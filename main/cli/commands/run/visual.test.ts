import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {measureVisual} from '../../../../app/run/quality/visual.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {saidBeside} from '../../../../e2e/processes.ts';
import {findBrowser} from '../../../setup/browser.mjs';
import {bundleMain, bundleRenderer} from '../../../setup/bundle.mjs';
import {runDocument} from '../../../workers/testing/runs.ts';
import type {TypicalResult} from '../typical.ts';
import type {Result} from './result.ts';

// `interleave run`, `typical` and `experiment` with --visual, and `still`, as people run them.

const script = fileURLToPath(new URL('../../interleave.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'interleave-visual-'));
const cache = join(folder, 'cache');
const started = join(folder, 'started');
/** A browser that also records the arguments with which it is started. */
const witness = join(folder, 'witness');
beforeAll(async () => {
  writeFileSync(witness, `#!/bin/sh\necho "$*" >> '${started}'\nexec '${findBrowser()}' "$@"\n`);
  chmodSync(witness, 0o755);
  await bundleMain();
  await bundleRenderer();
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const run = (args: readonly string[], env: Environment = {}) => interleave(['run', ...args], env);

interface Environment {
  readonly [name: string]: string;
}

function interleave(args: readonly string[], env: Environment) {
  return spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    env: {...process.env, XDG_CACHE_HOME: cache, ...env},
  });
}

const scenario = {page: 'gallery-3k', path: {rateBps: 1_000_000, rttMs: 100, loss: 0.03}};
const sets = Object.entries(scenario).flatMap(([key, value]) => ['--set', `${key}=${JSON.stringify(value)}`]);

describe('without a browser', () => {
  const nowhere = {PATH: '/nowhere', INTERLEAVE_BROWSER: '/nowhere/chromium'};

  test('the error is one line that says what to install, and the exit code is 1', () => {
    const {status, stdout, stderr} = run([...sets, '--visual'], nowhere);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^interleave: [^\n]*Chromium or Chrome: install one[^\n]*\n$/);
  });

  test('runs without --visual need no browser, and have no visual metrics', () => {
    const {status, stdout} = run([...sets, '--json'], nowhere);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/"(visual|quality)"/);
  });
});

describe('thresholds that are outside their limits, not numbers, or without --visual are bad input:', () => {
  test.each([
    [['--visual', '--recognisable', '0'], '--recognisable is 0: must be above 0 and at most 1'],
    [['--visual', '--recognisable', '0.9', '--good', '0.8'], '--good is 0.8: must be 0.9 (recognisable) to 1'],
    [['--visual', '--good', '1.5'], '--good is 1.5: must be 0.65 (recognisable) to 1'],
    [['--visual', '--good', 'most'], '--good is most: must be a number'],
    [['--visual', '--recognisable', ''], '--recognisable is empty: must be a number'],
    [['--good', '0.9'], '--good is for visual metrics: --visual is missing'],
  ])('%j', (args, message) => {
    const {status, stderr} = run([...sets, ...args]);
    expect([status, stderr]).toEqual([2, `interleave: ${message}\n`]);
  });
});

describe.skipIf(findBrowser() === undefined)('with a browser', () => {
  const withWitness = {INTERLEAVE_BROWSER: witness};
  let first: Result;
  beforeAll(() => {
    const {status, stdout, stderr} = run([...sets, '--visual', '--json'], withWitness);
    expect([status, saidBeside(stderr)]).toEqual([0, '']);
    first = JSON.parse(stdout);
  });

  test('--json has the visual metrics of each pane, and the curve of each object', () => {
    for (const {visual, objects} of first.runs[0]?.panes ?? []) {
      const ms = expect.any(Number);
      expect(visual).toEqual({recognisableMs: ms, goodMs: ms, speedIndexMs: ms, visuallyCompleteMs: {85: ms, 100: ms}});
      expect(objects).toHaveLength(12);
      for (const {quality, bytes} of objects) expect(quality?.at(-1)).toEqual([bytes, 1]);
    }
    expect(first.visual).toEqual({recognisable: 0.65, good: 0.88, screen: {width: 1024, height: 768}});
    expect(first.summary[1]?.visual?.speedIndexMs.n).toBe(1);
  });

  test('the times follow from the curves and the traces', () => {
    const panes = first.runs[0]?.panes ?? [];
    for (const [i, data] of runDocument({...scenario, seed: 1}).panes.entries()) {
      const objects = (panes[i]?.objects ?? []).map(({quality, url}, object) => {
        // the JSON has no areas; these are chosen so that only the logo is too small to count as a picture
        const area = url.endsWith('logo.png') ? 40 * 40 : 320 * 240;
        return quality == null
          ? null
          : ({area, scanEnds: [], kind: object === 0 ? 'text' : 'picture', curve: quality} as const);
      });
      const quality = {screen: {width: 1024, height: 768}, objects};
      const {recognisableMs, goodMs} = measureVisual(new Trace(data), quality, {
        recognisable: 0.65,
        good: 0.88,
      });
      expect(panes[i]?.visual).toMatchObject({recognisableMs, goodMs});
    }
  });

  test('later runs read the curves from the disk, and only ask the browser for its version', () => {
    rmSync(started);
    const {status, stdout} = run([...sets, '--visual', '--seeds', '1-3', '--json'], withWitness);
    expect(status).toBe(0);
    const {runs, summary} = JSON.parse(stdout) as Result;
    expect(runs[0]?.panes).toEqual(first.runs[0]?.panes);
    const [one, two, three] = runs.map(({panes}) => panes[0]?.visual?.speedIndexMs ?? 0);
    expect(new Set([one, two, three]).size).toBe(3);
    const {n, mean} = summary[0]?.visual?.speedIndexMs ?? {n: 0, mean: 0};
    expect([n, mean]).toEqual([3, expect.closeTo(((one ?? 0) + (two ?? 0) + (three ?? 0)) / 3, 6)]);
    expect(readFileSync(started, 'utf8')).toBe('--version\n');
    expect(readdirSync(join(cache, 'interleave/quality'))).toHaveLength(1);
  });

  test('a still of the same page adds no second file of curves to the cache', {tags: ['long']}, () => {
    const out = join(folder, 'still.png');
    const {status} = interleave(['still', ...sets, '--at', '0.5s', '--out', out], withWitness);
    expect(status).toBe(0);
    expect(readdirSync(join(cache, 'interleave/quality'))).toHaveLength(1);
  });

  test('a grid has the same numbers as separate runs', {tags: ['long']}, () => {
    const [file, out] = [join(folder, 'seen.json'), join(folder, 'seen')];
    const axes = {'path.loss': [0, scenario.path.loss]};
    const metrics = ['speedIndexMs', 'goodMs'];
    writeFileSync(file, JSON.stringify({base: scenario, axes, seeds: '1', metrics}));
    const {status, stderr} = interleave(['experiment', file, '--out', out, '--visual'], withWitness);
    expect([status, saidBeside(stderr)]).toEqual([0, '']);
    const [header, ...rows] = readFileSync(join(out, 'results.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toMatch(/,goodMs,speedIndexMs,reason,paneName$/);
    const own = (first.runs[0]?.panes ?? []).map(({visual}) => `${visual?.goodMs},${visual?.speedIndexMs},`);
    expect(rows.slice(2).map(row => row.split(',').slice(5, 8).join())).toEqual(own);
    const kept = JSON.parse(readFileSync(join(out, 'experiment.json'), 'utf8'));
    expect(kept.visual).toEqual({
      recognisable: 0.65,
      good: 0.88,
      qualities: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
  });

  test('the typical seed depends on Speed Index', {tags: ['long']}, () => {
    const args = [...sets, '--visual', '--seeds', '1-9', '--json'];
    const {runs} = JSON.parse(run(args, withWitness).stdout) as Result;
    const typical = JSON.parse(interleave(['typical', ...args], withWitness).stdout) as TypicalResult;
    let distance = 0;
    for (const [pane, {metrics}] of typical.panes.entries()) {
      expect(Object.keys(metrics)).toEqual(['finishMs', 'p25FinishMs', 'p50FinishMs', 'p75FinishMs', 'speedIndexMs']);
      const indices = runs.map(({panes}) => panes[pane]?.visual?.speedIndexMs ?? 0);
      expect(metrics['speedIndexMs']).toMatchObject({
        value: indices[(typical.seed ?? 0) - 1],
        median: indices.toSorted((a, b) => a - b)[4],
      });
      for (const {value, median, q1, q3} of Object.values(metrics)) distance += ((value - median) / (q3 - q1)) ** 2;
    }
    expect(typical.distance).toBeCloseTo(distance, 9);
    const table = interleave(['typical', ...args.slice(0, -1)], withWitness).stdout;
    expect(table).toContain('times in ms, from navigation\n');
    expect(interleave(['typical', ...sets, '--good', '0.9'], {}).stderr).toContain("option '--good'");
  });

  test('the scenario is read only once, so it may be a pipe; a page without pictures has no Speed Index', {
    tags: ['long'],
  }, () => {
    const command = `'${process.execPath}' '${script}' typical --visual --seeds 1-3 --json --scenario <(echo '{"page": {"synthetic": {}}}')`;
    const {status, stdout, stderr} = spawnSync('bash', ['-c', command], {
      encoding: 'utf8',
      env: {...process.env, XDG_CACHE_HOME: cache},
    });
    expect([status, saidBeside(stderr)]).toEqual([0, '']);
    const {complete, panes} = JSON.parse(stdout) as TypicalResult;
    expect(complete).toBe(3);
    expect(Object.keys(panes[0]?.metrics ?? {})).toEqual(['finishMs', 'p25FinishMs', 'p50FinishMs', 'p75FinishMs']);
  });

  test('runs end when they are interrupted', {tags: ['long']}, async () => {
    const program = spawn(process.execPath, [script, 'run', ...sets, '--visual', '--seeds', '1-100000'], {
      stdio: 'ignore',
      env: {...process.env, XDG_CACHE_HOME: cache},
    });
    const ended = once(program, 'exit');
    await setTimeout(2000);
    program.kill('SIGINT');
    const [code, signal] = await ended;
    expect(signal ?? code).toBe(signal === null ? 130 : 'SIGINT');
  });

  test('a lower threshold for good is reached earlier', () => {
    const {stdout} = run([...sets, '--visual', '--recognisable', '0.3', '--good', '0.4', '--json'], withWitness);
    const {runs} = JSON.parse(stdout) as Result;
    for (const [i, {visual}] of (runs[0]?.panes ?? []).entries()) {
      expect(visual?.goodMs).toBeLessThan(first.runs[0]?.panes[i]?.visual?.goodMs ?? 0);
    }
  });

  test('the table and CSV have visual metrics too', {tags: ['long']}, () => {
    const table = run([...sets, '--visual', '--seeds', '1-3'], withWitness).stdout;
    expect(table).toMatch(/^Speed Index +\d+ ± \d+ +\d+ ± \d+$/m);
    expect(table).toContain('recognisable: SSIM of at least 0.65; good: SSIM of at least 0.88');
    const [head = '', line = ''] = run([...sets, '--visual', '--csv'], withWitness).stdout.split('\n');
    expect(head).toMatch(
      /,reason,recognisableMs,goodMs,speedIndexMs,visuallyComplete85Ms,visuallyComplete100Ms,longestWaitMs,fcpMs,lcpMs,dclMs,loadMs,finishMs,paneName$/,
    );
    const {visual, longestWaitMs} = first.runs[0]?.panes[0] ?? {};
    expect(line.split(',').slice(-12, -6).map(Number)).toEqual([
      visual?.recognisableMs,
      visual?.goodMs,
      visual?.speedIndexMs,
      visual?.visuallyCompleteMs[85],
      visual?.visuallyCompleteMs[100],
      longestWaitMs,
    ]);
    expect(run([...sets, '--csv']).stdout.split('\n')[0]).toMatch(
      /,reason,longestWaitMs,fcpMs,lcpMs,dclMs,loadMs,finishMs,paneName$/,
    );
  });
});
