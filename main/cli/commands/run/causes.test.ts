import {expect, test} from 'vitest';
import type {CauseEstimate} from '../../../../app/run/why/causeSummary.ts';
import {runHere} from '../../testing/runHere.ts';

interface Summary {
  readonly finishMs: {readonly mean: number};
  readonly finishAgainstFirst: {readonly differenceMs: {readonly mean: number}} | null;
  readonly causes: readonly CauseEstimate[];
  readonly causesAgainstFirst: readonly CauseEstimate[] | null;
}

const LOSSY = ['run', '--scenario', 'n07-hsdpa', '--set', 'path.loss=0.05'];
const SEEDS = [...LOSSY, '--seeds', '1-6', '--causes'];

test('causes add up to the finish time of a pane, and differences of causes to that of finish times', async () => {
  const {summary, runs} = JSON.parse(await succeed(...SEEDS, '--json'));
  for (const {causes, finishMs, causesAgainstFirst, finishAgainstFirst} of summary as readonly Summary[]) {
    expect(sumMs(causes)).toBeCloseTo(finishMs.mean, 6);
    expect(causes.every(({ms, ci95Ms}) => ms > 0 && (ci95Ms ?? -1) >= 0)).toBe(true);
    if (finishAgainstFirst === null) expect(causesAgainstFirst).toBeNull();
    else expect(sumMs(causesAgainstFirst ?? [])).toBeCloseTo(finishAgainstFirst.differenceMs.mean, 6);
  }
  for (const {panes} of runs) for (const {causes, finishMs} of panes) expect(sumMs(causes)).toBeCloseTo(finishMs, 6);
});

test('run --causes and why give the same mean and interval for each cause', async () => {
  const {summary} = JSON.parse(await succeed(...SEEDS, '--json'));
  const why = ['why', ...LOSSY.slice(1), '--seeds', '1-6', '--json'];
  const {panes} = JSON.parse(await succeed(...why));
  for (const [pane, {causes}] of panes.entries()) {
    const own = (summary as readonly Summary[])[pane]?.causes;
    expect(causes.map(({name}: CauseEstimate) => name)).toEqual(own?.map(({name}) => name));
    for (const [i, {ms, ci95Ms}] of causes.entries()) {
      expect(ms).toBeCloseTo(own?.[i]?.ms ?? -1, 5);
      expect(ci95Ms).toBeCloseTo(own?.[i]?.ci95Ms ?? -1, 5);
    }
  }
});

test('the table has the causes, the differences and a sentence only with --causes', async () => {
  const table = await succeed(...SEEDS);
  expect(table).toMatch(
    /where the time from navigation to finish went, by cause.*\n +1 TCP +2 SCTP\ntransport’s set-up +121 ± 0\.0 +242 ± 0\.0\n/,
  );
  expect(table).toMatch(/than in 1 TCP, over the runs that are complete in both\ntransport’s set-up +121 ± 0\.0\n/);
  expect(table).toMatch(/\nHTTP\/1\.1 over TCP is 1\.12 s ahead of HTTP over SCTP: .* This may be chance: /);
  const clear = await succeed(
    ...LOSSY,
    '--set',
    'path.loss=0',
    '--set',
    'panes.1.tls=true',
    '--seeds',
    '1-2',
    '--causes',
  );
  expect(clear).toMatch(/\nHTTP\/1\.1 over TCP is .*\.\n$/);
  expect(clear).not.toContain('chance');
  expect(await succeed(...LOSSY, '--seeds', '1-6')).not.toContain('cause');
});

test('a single load has no intervals', async () => {
  const table = await succeed(...LOSSY, '--causes');
  expect(table).toMatch(/\ntransport’s set-up +121 +242\n/);
  expect(table).not.toContain('±');
});

test('CSV has the times of causes after the usual columns', async () => {
  const lines = (await succeed(...LOSSY, '--csv', '--causes')).split('\n');
  const usual = (await succeed(...LOSSY, '--csv')).split('\n');
  const {length} = usual[0]?.split(',') ?? [];
  expect(lines[0]?.split(',').slice(length)[0]).toBe('whyDnsMs');
  expect(lines.map(line => line.split(',').slice(0, length).join(','))).toEqual(usual);
  const [finish, ...causes] = [usual[0]?.split(',').indexOf('finishMs') ?? -1, ...(lines[0]?.split(',').keys() ?? [])];
  const values = lines[1]?.split(',').map(Number) ?? [];
  const sum = causes.filter(column => column >= length).reduce((all, column) => all + (values[column] ?? 0), 0);
  expect(sum).toBeCloseTo(values[finish] ?? -1, 6);
});

test('an incomplete load has no causes', async () => {
  const {summary, runs} = JSON.parse(await succeed(...LOSSY, '--set', 'timeLimitMs=1000', '--causes', '--json'));
  expect(runs[0].panes.map(({causes}: {causes: unknown}) => causes)).toEqual([null, null]);
  expect(summary.map(({causes}: Summary) => causes)).toEqual([[], []]);
  expect(await succeed(...LOSSY, '--set', 'timeLimitMs=1000', '--causes')).toMatch(/\ntotal +– +–\n/);
});

test('live loads and trace files are refused', async () => {
  const live = await runHere('.', ['run', '--set', 'path={"live": "127.0.0.1:1"}', '--page', 'gallery', '--causes']);
  expect([live.status, live.stderr]).toEqual([2, expect.stringContaining('--causes: a live load does not show')]);
  const trace = await runHere('.', ['run', '--trace', 'a.trace', '--causes']);
  expect([trace.status, trace.stderr]).toEqual([2, expect.stringContaining('--trace and --causes exclude each other')]);
});

function sumMs(causes: readonly {readonly ms: number}[]): number {
  return causes.reduce((sum, {ms}) => sum + ms, 0);
}

async function succeed(...args: readonly string[]): Promise<string> {
  const {status, stdout, stderr} = await runHere('.', args);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}
