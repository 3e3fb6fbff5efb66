import {expect, test} from 'vitest';
import {findPreset} from '../../../app/run/scenario/presets.ts';
import {program} from '../../files/program.ts';
import {type Ended, runHere} from '../testing/runHere.ts';

// Compares `typical --json` with what a script can compute from `run --json`.

const SCENARIO = ['--scenario', 'n08-south-asia', '--set', 'path.loss=0.08', '--set', 'timeLimitMs=12000'];

interface Pane {
  readonly outcome: string;
  readonly pageTimeMs: number;
  readonly pPageMs: {readonly [percent: string]: number};
}

test('the typical seed follows from the runs, and the printed command loads it', async () => {
  const typical = JSON.parse(await succeed('typical', ...SCENARIO, '--seeds', '1-40', '--json'));
  const {runs} = JSON.parse(await succeed('run', ...SCENARIO, '--seeds', '1-40', '--json')) as {
    readonly runs: readonly {readonly seed: number; readonly panes: readonly Pane[]}[];
  };
  const complete = runs.filter(({panes}) => panes.every(({outcome}) => outcome === 'complete'));
  // with this time limit some loads are incomplete
  expect(complete.length).toBeLessThan(40);
  expect(complete.length).toBeGreaterThan(10);
  const figures = complete.map(({seed, panes}) => ({seed, values: panes.flatMap(figuresOf)}));
  const columns = (figures[0]?.values ?? []).map((_, column) => {
    const sorted = figures.map(({values}) => values[column] ?? 0).sort((a, b) => a - b);
    return [0.25, 0.5, 0.75].map(share => {
      const place = share * (sorted.length - 1);
      const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
      return below * (1 - place + Math.floor(place)) + above * (place - Math.floor(place));
    });
  });
  const ranked = figures
    .map(({seed, values}) => {
      const outside = values.filter((value, i) => value < (columns[i]?.[0] ?? 0) || value > (columns[i]?.[2] ?? 0));
      const distances = values.map((value, i) => {
        const [q1 = 0, median = 0, q3 = 0] = columns[i] ?? [];
        return ((value - median) / (q3 - q1)) ** 2;
      });
      return {seed, isInside: outside.length === 0, distance: distances.reduce((sum, each) => sum + each, 0)};
    })
    .sort((a, b) => Number(b.isInside) - Number(a.isInside) || a.distance - b.distance || a.seed - b.seed);
  const [best] = ranked;
  expect(typical).toMatchObject({
    seed: best?.seed,
    seeds: 40,
    complete: complete.length,
    isInsideQuartiles: best?.isInside,
    distance: expect.closeTo(best?.distance ?? 0, 9),
    scenario: {seed: best?.seed, typicalOf: 40},
  });
  const shown = typical.panes.flatMap(({metrics}: {metrics: object}) => Object.values(metrics));
  expect(shown).toEqual(
    columns.map(([q1 = 0, median = 0, q3 = 0], i) => ({
      value: figures.find(({seed}) => seed === best?.seed)?.values[i],
      q1: expect.closeTo(q1, 6),
      median: expect.closeTo(median, 6),
      q3: expect.closeTo(q3, 6),
    })),
  );
  const command = (await succeed('typical', ...SCENARIO, '--seeds', '1-40')).trim().split('\n').at(-1) ?? '';
  const words = command.split(' ').slice(2);
  const {scenario} = JSON.parse(await succeed(...words.map(word => word.replaceAll("'", '')), '--json'));
  expect(scenario).toMatchObject({seed: best?.seed, typicalOf: 40, timeLimitMs: 12_000});
});

test('the default demo has the typical seed, whose values are inside all quartiles', async () => {
  const demo = findPreset('n07-movie')?.scenario;
  const typical = JSON.parse(await succeed('typical', '--scenario', 'n07-movie', '--json'));
  expect(demo).toMatchObject({seed: typical.seed, typicalOf: typical.seeds});
  expect(typical).toMatchObject({seeds: 200, complete: 200, isInsideQuartiles: true});
  const figures = typical.panes.flatMap(({metrics}: {metrics: object}) => Object.values(metrics));
  expect(figures).toHaveLength(8);
  for (const {value, q1, q3} of figures) expect(value >= q1 && value <= q3).toBe(true);
});

test('without a complete run there is no typical seed, and the output says so', async () => {
  const hopeless = ['--set', 'path.loss=1', '--set', 'timeLimitMs=100', '--seeds', '1-3'];
  expect(await succeed('typical', ...hopeless)).toBe(
    'none of the 3 runs is complete in every pane, so there is no typical seed\n',
  );
  const none = {
    program: program(),
    clock: 'navigation',
    seed: null,
    seeds: 3,
    complete: 0,
    isInsideQuartiles: false,
    distance: null,
  };
  expect(JSON.parse(await succeed('typical', ...hopeless, '--json'))).toEqual({
    ...none,
    panes: [],
    scenario: null,
  });
});

test.each([
  ['--seeds', '0x3'],
  ['--seeds', '1-200000'],
  ['--csv', ''],
  ['--set', 'typicalOf=0'],
])('%s %s is refused in one line', async (option, value) => {
  const {status, stdout, stderr} = await run('typical', option, ...(value === '' ? [] : [value]));
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^interleave: .+\n$/);
});

function figuresOf({pageTimeMs, pPageMs}: Pane): readonly number[] {
  return [pageTimeMs, pPageMs['25'] ?? 0, pPageMs['50'] ?? 0, pPageMs['75'] ?? 0];
}

async function succeed(...args: string[]): Promise<string> {
  const {status, stdout, stderr} = await run(...args);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

function run(...args: string[]): Promise<Ended> {
  return runHere('.', args);
}
