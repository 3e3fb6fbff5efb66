import {spawn, spawnSync} from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {type Grid, parseGrid} from '../../../app/study/experiment/grid.ts';
import type {Identity} from '../../../app/study/experiment/identity.ts';
import {readShard, WHOLE} from '../../../app/study/experiment/shard.ts';
import {bundleMain, bundles} from '../../setup/bundle.mjs';
import {type ExperimentOptions, runExperiment} from './experiment.ts';
import {openGridPages} from './gridPages.ts';
import {mergeExperiments} from './merge.ts';

const never = new AbortController().signal;
const root = mkdtempSync(join(tmpdir(), 'interleave-experiment-'));
let whole: Files;
beforeAll(async () => {
  await bundleMain();
  await run('whole');
  whole = filesOf('whole');
});
afterAll(() => rmSync(root, {recursive: true, force: true}));

const GRID = {
  base: {
    page: {synthetic: {indexBytes: 800, objects: 2, objectBytes: 2000}},
    path: {rttMs: 100},
    panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
    // this limit is chosen so that some loads are incomplete
    timeLimitMs: 2500,
  },
  axes: {'path.loss': [0, 0.2], 'panes.1.streams': [1, 3]},
  seeds: '1-12',
  metrics: ['pageTimeMs', 'lostDown'],
};

interface Files {
  readonly [name: string]: string;
}

describe('an experiment', () => {
  test('has a row for every run and pane in the grid’s order', () => {
    const [header, ...rows] = (whole['results.csv'] ?? '').trimEnd().split('\n');
    expect(header).toBe('path.loss,panes.1.streams,seed,pane,pipeline,outcome,pageTimeMs,lostDown,reason,paneName');
    const expected = [0, 0.2].flatMap(loss =>
      [1, 3].flatMap(streams =>
        Array.from({length: 12}, (_, i) => ['1,tcp', '2,sctp'].map(pane => `${loss},${streams},${i + 1},${pane}`)),
      ),
    );
    expect(rows.map(row => row.split(',').slice(0, 5).join())).toEqual(expected.flat());
    expect(rows.some(row => row.includes('time-limit'))).toBe(true);
  });

  test('has the same files with one worker, two and three', async () => {
    await run('two', {jobs: 2});
    await run('three', {jobs: 3});
    expect([filesOf('two'), filesOf('three')]).toEqual([whole, whole]);
  });

  test.each([1, 17, 47])('continues from %i runs and an incomplete line, and writes the same files', async lines => {
    const notes: string[] = [];
    begun(`resumed-${lines}`, lines, '[17,["comp');
    const end = await run(`resumed-${lines}`, {isResumed: true, onNote: note => notes.push(note)});
    expect(end).toMatchObject({runs: 48, before: lines});
    expect(notes).toEqual([
      expect.stringMatching(/^10 bytes at the end of .*runs\.ndjson are not a complete run and are dropped$/),
    ]);
    expect(filesOf(`resumed-${lines}`)).toEqual(whole);
  });

  test.each([
    ['a complete run, but not the next one', '[30,["complete",null,1,0],["complete",null,1,0]]\n'],
    ['a run with one pane less', '[5,["complete",null,1,0]]\n'],
    ['a run with one metric less', '[5,["complete",null,1],["complete",null,1]]\n'],
    ['a line of zeros, as after a power cut', `${'\0'.repeat(300)}\n`],
  ])('does not accept %s', async (_, line) => {
    begun('lines', 5, line);
    expect(await run('lines', {isResumed: true})).toMatchObject({before: 5});
    expect(filesOf('lines')).toEqual(whole);
  });

  test('that is complete writes the same files again, and computes nothing', async () => {
    begun('again', 48, '');
    const worker = new URL('file:///no/such/worker.mjs');
    expect(await run('again', {isResumed: true, worker})).toMatchObject({before: 48, runs: 48});
    expect(filesOf('again')).toEqual(whole);
  });

  test('starts from the beginning if the folder that it continues does not exist', async () => {
    expect(await run('fresh', {isResumed: true})).toMatchObject({before: 0});
  });

  test('survives the crash of a worker', async () => {
    const real = JSON.stringify(pathToFileURL(join(bundles, 'experimentWorker.mjs')).href);
    const mark = join(root, 'died');
    const worker = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import {existsSync, writeFileSync} from 'node:fs';
        import {parentPort} from 'node:worker_threads';
        if (existsSync(${JSON.stringify(mark)})) await import(${real});
        else parentPort.once('message', () => {
          writeFileSync(${JSON.stringify(mark)}, '');
          process.exit(1);
        });
      `)}`,
    );
    await run('killed-worker', {worker});
    expect(statSync(mark).size).toBe(0);
    expect(filesOf('killed-worker')).toEqual(whole);
  });

  test('that is cancelled keeps its finished runs', async () => {
    const abort = new AbortController();
    const onProgress = (done: number) => done > 10 && abort.abort(new Error('enough'));
    await expect(run('cancelled', {jobs: 1, signal: abort.signal, onProgress})).rejects.toThrow('enough');
    expect(readdirSync(join(root, 'cancelled')).sort()).toEqual(['experiment.json', 'runs.ndjson']);
    const {before} = await run('cancelled', {isResumed: true});
    expect(before).toBeGreaterThan(10);
    expect(filesOf('cancelled')).toEqual(whole);
  });
});

test('each page is read once, and all pages together have a limit', async () => {
  const page = {synthetic: {...GRID.base.page.synthetic, indexBytes: 2000}};
  const parsed = parseGrid({
    ...GRID,
    axes: {'path.loss': [0, 0.1], page: ['l06', page], serverThinkMs: [0, 1]},
  });
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {pages, pageOf} = await openGridPages(parsed.grid, 'fixtures/pages');
  expect(pages.map(({name}) => name)).toMatchObject(['l06', page]);
  expect([0, 1, 2, 3, 4].map(pageOf)).toEqual([0, 0, 1, 1, 0]);
  // runs and pictures use the resolved page; the grid keeps the page's original name
  const resolve = async (scenario: Scenario): Promise<Scenario> => ({
    ...scenario,
    page: {kind: 'named', name: 'gallery'},
  });
  const resolved = await openGridPages(parsed.grid, 'fixtures/pages', {resolve});
  expect(resolved.pages.map(({name}) => name)).toMatchObject(['l06', page]);
  expect(resolved.pages.map(({page}) => page.name)).toEqual(['gallery', 'gallery']);
  expect(resolved.pages[0]?.scenario.page).toEqual({kind: 'named', name: 'gallery'});
  await expect(openGridPages(parsed.grid, 'fixtures/pages', {mostBytes: 70_000})).rejects.toThrow(
    /^the first 2 pages of the grid have \d+ bytes together \(at most 70000\)$/,
  );
});

test('a page is opened once for each conversion that its cells use', async () => {
  vi.stubEnv('XDG_CACHE_HOME', root);
  const axes = {'panes.1.conversion': ['none', 'progressive', 'avif'], 'path.loss': [0, 0.1]};
  const parsed = parseGrid({base: {page: 'gallery-baseline', panes: GRID.base.panes}, seeds: [1], axes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {pages, pageOf} = await openGridPages(parsed.grid, 'fixtures/pages');
  vi.unstubAllEnvs();
  expect(pages.map(({page}) => page.conversions ?? [])).toEqual([[], ['progressive'], ['avif']]);
  expect(new Set(pages.map(({page}) => page.hash)).size).toBe(3);
  expect([0, 1, 2, 3, 4, 5].map(pageOf)).toEqual([0, 0, 1, 1, 2, 2]);
});

test('incomplete files of a killed program are removed in all folders, but no other files', async () => {
  const left = ['report.html', 'figures/page-time-t.svg'].map(name => `${name}.0a1b2c3d.part`);
  const others = ['film.0a1b2c3d.part', 'figures/notes.txt'];
  begun('swept', 48, '');
  mkdirSync(join(root, 'swept/figures'));
  for (const name of [...left, ...others]) writeFileSync(join(root, 'swept', name), 'x');
  await run('swept', {isResumed: true});
  const names = readdirSync(join(root, 'swept'), {recursive: true});
  expect(names).toEqual(expect.arrayContaining(others));
  expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/(html|svg|csv)\.0a1b2c3d/)]));
  mkdirSync(join(root, 'strange'));
  writeFileSync(join(root, 'strange/film.0a1b2c3d.part'), '');
  await expect(run('strange')).rejects.toThrow(/strange is not empty \(film\.0a1b2c3d\.part\)/);
});

describe('a folder is refused', () => {
  test('that is not empty and contains no valid experiment', async () => {
    mkdirSync(join(root, 'full'));
    writeFileSync(join(root, 'full/letter.txt'), '');
    await expect(run('full')).rejects.toThrow(/full is not empty \(letter\.txt\): --resume continues/);
    await expect(run('full', {isResumed: true})).rejects.toThrow(/contains no experiment: there is letter\.txt/);
    begun('damaged', 1, '');
    truncateSync(join(root, 'damaged/experiment.json'), 20);
    await expect(run('damaged', {isResumed: true})).rejects.toThrow(/experiment\.json is damaged/);
    expect(readdirSync(join(root, 'full'))).toEqual(['letter.txt']);
  });

  test.each([
    ['seeds', {seeds: '1-13'}, 'grid.seeds is "1-12" there and "1-13" here'],
    ['another value', {axes: {...GRID.axes, 'path.loss': [0, 0.3]}}, 'grid.axes.path.loss.1 is 0.2 there and 0.3 here'],
    ['other axes', {axes: {'path.loss': [0, 0.2]}}, 'grid.axes.panes.1.streams is [1,3] there and null here'],
    [
      'another order of axes',
      {axes: {'panes.1.streams': [1, 3], 'path.loss': [0, 0.2]}},
      'grid.axes are path.loss, panes.1.',
    ],
    ['another base', {base: {...GRID.base, serverThinkMs: 1}}, 'grid.base.serverThinkMs is 0 there and 1 here'],
  ])('that belongs to another grid: %s', async (_, change, difference) => {
    begun('other', 3, '');
    const before = filesOf('other');
    await expect(run('other', {isResumed: true}, {...GRID, ...change})).rejects.toThrow(
      `other belongs to another experiment: ${difference}`,
    );
    expect(filesOf('other')).toEqual(before);
  });

  test('that belongs to another part or another page', async () => {
    begun('part', 3, '');
    const {identity} = await optionsOf('part', GRID);
    const shard = readShard('1/2') ?? WHOLE;
    await expect(run('part', {isResumed: true, identity: {...identity, shard}})).rejects.toThrow(
      'shard is null there and "1/2" here',
    );
    const pages = [[identity.pages[0]?.[0] ?? null, 'ffff']] as const;
    await expect(run('part', {isResumed: true, identity: {...identity, pages}})).rejects.toThrow(
      /pages\.0\.hash is "[0-9a-f]{60}… there and "ffff" here|pages\.0\.hash is "[0-9a-f]{59,60}…? there/,
    );
  });

  test('whose runs file is damaged before its end: nothing is dropped', async () => {
    begun('holed', 9, '');
    const file = join(root, 'holed/runs.ndjson');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [...lines.slice(0, 4), '\0'.repeat(80), ...lines.slice(5)].join('\n'));
    const before = filesOf('holed');
    await expect(run('holed', {isResumed: true})).rejects.toThrow(
      /holed\/runs\.ndjson is damaged: its line 5 is not a run of this experiment, and is not the last line$/,
    );
    expect(filesOf('holed')['runs.ndjson']).toEqual(before['runs.ndjson']);
  });

  test('whose experiment has other metrics', async () => {
    begun('metrics', 3, '');
    await expect(run('metrics', {isResumed: true}, {...GRID, metrics: null})).rejects.toThrow(
      'grid.metrics.0 is "pageTimeMs" there and "setupMs" here',
    );
    expect(JSON.parse(whole['experiment.json'] ?? '').grid.metrics).toEqual(['pageTimeMs', 'lostDown']);
  });

  test('whose runs were made by another version of the program', async () => {
    begun('old', 2, '');
    const file = join(root, 'old/runs.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/complete",null,\d+/, 'complete",null,1'));
    await expect(run('old', {isResumed: true})).rejects.toThrow(
      /another version of interleave, which gives run 0 other/,
    );
  });

  test('that another program uses, but not after that program was killed', async () => {
    const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const start = readFileSync(`/proc/${holder.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    const held = `${hostname()}:${holder.pid}:${start}`;
    mkdirSync(join(root, 'held'));
    symlinkSync(held, join(root, 'held/lock'));
    await expect(run('held')).rejects.toThrow(`held is in use by process ${holder.pid}`);
    holder.kill('SIGKILL');
    await new Promise(resolve => holder.on('exit', resolve));
    await run('held');
    expect(filesOf('held')).toEqual(whole);
  });

  test.each([
    ['a process with that id that started later', `${hostname()}:${process.pid}:1`, null],
    ['no process', `${hostname()}:0:`, null],
    // process ids end at 2^22
    ['a dead process, on a system without start times', `${hostname()}:4194400:`, null],
    [
      'another machine',
      `elsewhere:${process.pid}:1`,
      /in use by process \d+ on elsewhere; if that process has ended, remove/,
    ],
    ['an unknown process', 'x', /in use by an unknown process; if that process has ended, remove .*lock$/],
  ])('only if its lock may belong to a running process, here: %s', async (name, holder, message) => {
    const folder = `lock ${name}`;
    mkdirSync(join(root, folder));
    symlinkSync(holder, join(root, folder, 'lock'));
    if (message === null) await run(folder);
    else await expect(run(folder)).rejects.toThrow(message);
  });

  test('for the second of two runs in one program', async () => {
    const both = await Promise.allSettled([run('both'), run('both')]);
    expect(both.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(filesOf('both')).toEqual(whole);
  });
});

const tmpfs = process.platform === 'linux' && process.getuid?.() === 0;
test.skipIf(!tmpfs)(
  `a full disk is reported, and the experiment can continue${tmpfs ? '' : ' (skipped: needs root to make a small one)'}`,
  async () => {
    const disk = join(root, 'disk');
    mkdirSync(disk);
    const large = {...GRID, metrics: null};
    await run('roomy', {}, large);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12k', 'tmpfs', disk]).status).toBe(0);
    try {
      await expect(run('disk/out', {}, large)).rejects.toThrow(/^cannot write .*runs\.ndjson: the disk is full$/);
      expect(spawnSync('mount', ['-o', 'remount,size=1m', disk]).status).toBe(0);
      const {before} = await run('disk/out', {isResumed: true}, large);
      expect(before).toBeGreaterThan(5);
      expect(filesOf('disk/out')).toEqual(filesOf('roomy'));
    } finally {
      spawnSync('umount', [disk]);
    }
  },
);

describe('parts', () => {
  const merge = (parts: readonly string[], out: string) => {
    return mergeExperiments(
      parts.map(part => join(root, part)),
      join(root, out),
      never,
    );
  };
  beforeAll(async () => {
    for (const shard of ['1/3', '2/3', '3/3', '1/2']) await run(`parts/${shard.replace('/', '-')}`, {}, GRID, shard);
  });

  test('are joined to the same files as those of the whole experiment, in any order', async () => {
    await merge(['parts/2-3', 'parts/1-3', 'parts/3-3'], 'merged');
    expect(filesOf('merged')).toEqual(whole);
    await merge(['whole'], 'copied');
    expect(filesOf('copied')).toEqual(whole);
  });

  test('that are missing or incomplete are named', async () => {
    await expect(merge(['parts/1-3'], 'a')).rejects.toThrow('32 of 48 runs are missing: those of parts 2/3, 3/3');
    truncateSync(join(root, 'parts/3-3/runs.ndjson'), 500);
    await expect(merge(['parts/1-3', 'parts/2-3', 'parts/3-3'], 'a')).rejects.toThrow(
      /^\d+ of 48 runs are missing: .*3-3 \(3\/3\) has \d+ of its 16 \(--resume continues it\)$/,
    );
    await expect(merge(['parts/1-2', 'parts/2-3'], 'b')).rejects.toThrow(/overlap: both have run 4$/);
    expect(readdirSync(join(root, 'a'))).toEqual([]);
  });

  test('that are not experiments, or belong to another experiment, are named', async () => {
    await run('parts/other', {}, {...GRID, seeds: '1-2'}, '2/3');
    await expect(merge(['parts/1-3', 'parts/other'], 'c')).rejects.toThrow(
      /other belongs to another experiment than .*1-3: grid\.seeds is "1-2" there and "1-12" here/,
    );
    await expect(merge(['parts/1-3', 'nowhere'], 'c')).rejects.toThrow(/nowhere contains no experiment: there is no/);
    await expect(merge(['parts/1-3'], 'whole')).rejects.toThrow(/whole is not empty \(experiment\.json\)/);
  });
});

/** Writes a folder with the first `lines` runs, followed by the text that a killed program left. */
function begun(folder: string, lines: number, rest: string): void {
  rmSync(join(root, folder), {recursive: true, force: true});
  mkdirSync(join(root, folder));
  writeFileSync(join(root, folder, 'experiment.json'), whole['experiment.json'] ?? '');
  const all = (whole['runs.ndjson'] ?? '').split('\n');
  writeFileSync(
    join(root, folder, 'runs.ndjson'),
    all
      .slice(0, lines)
      .map(line => `${line}\n`)
      .join(''),
  );
  appendFileSync(join(root, folder, 'runs.ndjson'), rest);
  writeFileSync(join(root, folder, 'results.csv.0a1b2c3d.part'), 'left by a killed program');
}

async function run(folder: string, more: Partial<ExperimentOptions> = {}, grid: object = GRID, shard = '1/1') {
  return runExperiment({...(await optionsOf(folder, grid, shard)), ...more});
}

async function optionsOf(folder: string, document: object, shard = '1/1'): Promise<ExperimentOptions> {
  const parsed = parseGrid(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const grid: Grid = parsed.grid;
  const {pages, pageOf} = await openGridPages(grid, 'fixtures/pages');
  const identity: Identity = {
    grid,
    shard: readShard(shard) ?? WHOLE,
    visual: null,
    pages: pages.map(({name, page}) => [name, page.hash]),
  };
  return {
    identity,
    pages,
    pageOf,
    out: join(root, folder),
    isResumed: false,
    jobs: 1,
    signal: never,
    worker: pathToFileURL(join(bundles, 'experimentWorker.mjs')),
    onProgress: () => {},
    onNote: () => {},
  };
}

function filesOf(folder: string): Files {
  return Object.fromEntries(
    readdirSync(join(root, folder)).map(name => [name, readFileSync(join(root, folder, name), 'utf8')]),
  );
}
