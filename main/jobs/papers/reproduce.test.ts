import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {meanRow, orderRow} from '../../../app/study/papers/claimRows.ts';
import type {Findings} from '../../../app/study/papers/findings.ts';
import type {Paper} from '../../../app/study/papers/paper.ts';
import {bundleMain, bundles} from '../../setup/bundle.mjs';
import {type ReproduceOptions, reproduce} from './reproduce.ts';

const root = mkdtempSync(join(tmpdir(), 'interleave-papers-'));
let found: readonly Findings[];
let whole: Files;
beforeAll(async () => {
  await bundleMain();
  found = await run('whole');
  whole = filesOf('whole');
});
afterAll(() => rmSync(root, {recursive: true, force: true}));

interface Files {
  readonly [path: string]: string;
}

const BASE = {
  page: {synthetic: {indexBytes: 800, objects: 2, objectBytes: 2000}},
  path: {rttMs: 100},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
};

/** A paper with two grids of two cells. The second grid has measures that are not metrics. */
const TOY: Paper = {
  name: 'toy',
  title: 'Toy',
  notes: ['It is short.'],
  grids: [
    {name: 'loss', about: 'two cells', base: BASE, axes: {'path.loss': [0, 0.1]}, kept: {metrics: ['pageTimeMs']}},
    {
      name: 'objects',
      about: 'counted',
      base: BASE,
      axes: {'path.rttMs': [100, 200]},
      mostSeeds: 2,
      kept: {
        measures: [
          {name: 'objects', of: trace => trace.objects.length},
          {name: 'setupMs', of: trace => (trace.data.setupNs ?? Number.NaN) / 1e6},
        ],
      },
    },
  ],
  claims: [
    {
      text: 'Loss takes time',
      source: 'Toy §1',
      rows: results => {
        const {value, ...others} = results.at('loss', {'path.loss': 0.1}).mean(1, 'pageTimeMs');
        const calm = results.at('loss', {'path.loss': 0}).mean(1, 'pageTimeMs').value ?? 0;
        return [orderRow('over TCP', 'longer', {value: (value ?? 0) - calm, ...others, half: 0}, 'ms')];
      },
      why: () => ['It is repaired.'],
    },
    {
      text: 'Three objects, and the set-up is a round trip',
      source: 'Toy §2',
      rows: results =>
        [100, 200].flatMap(rttMs => {
          const cell = results.at('objects', {'path.rttMs': rttMs});
          return [
            meanRow('objects', cell.mean(1, 'objects'), [3, 3]),
            meanRow('set-up', cell.mean(1, 'setupMs'), [rttMs, rttMs], 'ms'),
          ];
        }),
      why: () => [],
    },
  ],
  tables: () => [],
  figures: results => [results.figure('loss', 'page-time-t')],
};

describe('a reproduction', () => {
  test('judges claims by the results of its grids', () => {
    const [toy] = found;
    expect(toy?.claims.map(({verdict}) => verdict)).toEqual(['agrees', 'agrees']);
    expect(toy?.claims[1]?.rows.map(({ours}) => ours)).toEqual([
      '3.00',
      expect.any(String),
      '3.00',
      expect.any(String),
    ]);
  });

  test('has a report and figures for each paper, and a folder for each grid', () => {
    expect(Object.keys(whole)).toEqual(
      expect.arrayContaining([
        'report.html',
        'reproduce.json',
        'toy/report.html',
        'toy/figures/page-time-t.svg',
        'toy/loss/results.csv',
        'toy/loss/summary.json',
        'toy/objects/summary.json',
      ]),
    );
    expect(whole['toy/report.html']).toContain('It is repaired.');
    expect(whole['report.html']).toContain('Loss takes time');
  });

  test('says in the report of a paper why the panes of each grid differ', () => {
    const report = whole['toy/report.html'] ?? '';
    expect(report).toContain('Where the time went');
    expect(report).toContain('loss: two cells (means over 6 seeds; docs/why.md defines the causes)');
    expect(report).toContain('objects: counted (means over 2 seeds; docs/why.md defines the causes)');
    // a sentence for each of two cells in each of two grids
    expect(report.match(/ (ahead of|equally fast)/g)).toHaveLength(4);
  });

  test('that is cancelled while it looks for causes stops, and continues later', async () => {
    const abort = new AbortController();
    const looked: number[] = [];
    const onProgress = (what: string, done: number): void => {
      if (what !== 'causes of toy/loss') return;
      looked.push(done);
      abort.abort(new Error('enough'));
    };
    await expect(run('looked', {signal: abort.signal, onProgress})).rejects.toThrow('enough');
    expect(looked).toEqual([1]);
    await run('looked', {isResumed: true});
    expect(filesOf('looked')).toEqual(whole);
  });

  test('runs each grid with all given seeds, or with the first ones if the grid limits their number', () => {
    const rows = (whole['toy/loss/results.csv'] ?? '').trimEnd().split('\n');
    expect(rows).toHaveLength(1 + 2 * 6 * 2);
    const {cells} = JSON.parse(whole['toy/objects/summary.json'] ?? '');
    expect(cells[0].panes[0].runs).toBe(2);
  });

  const continues = 'that is cancelled during the %s continues with more jobs, and writes the same files';
  test.each([['runs of toy/loss', 8] as const])(continues, testContinues);
  test.each([['figures of toy', 1] as const])(continues, {tags: ['long']}, testContinues);

  async function testContinues(what: string, at: number): Promise<void> {
    const out = `cancelled ${what.replaceAll('/', ' ')}`;
    const abort = new AbortController();
    const onProgress = (now: string, done: number): void => {
      if (now === what && done >= at) abort.abort(new Error('enough'));
    };
    await expect(run(out, {signal: abort.signal, onProgress})).rejects.toThrow('enough');
    expect(Object.keys(filesOf(out))).not.toContain('report.html');
    await expect(run(out)).rejects.toThrow(/ is not empty \(\w+.*\): --resume continues with its content$/);
    await run(out, {isResumed: true, jobs: 2});
    expect(filesOf(out)).toEqual(whole);
  }

  test('that is cancelled during a measurement stops measuring', async () => {
    const abort = new AbortController();
    const measured: number[] = [];
    const onProgress = (what: string, done: number): void => {
      if (what !== 'runs of toy/objects') return;
      measured.push(done);
      abort.abort(new Error('enough'));
    };
    await expect(run('measured', {signal: abort.signal, onProgress})).rejects.toThrow('enough');
    expect(measured).toEqual([1]);
  });

  test('that continues removes incomplete files of a killed program, but no other files', async () => {
    cpSync(join(root, 'whole'), join(root, 'left'), {recursive: true});
    for (const path of ['report.html', 'toy/report.html', 'toy/figures/page-time-t.svg']) {
      writeFileSync(join(root, 'left', `${path}.0a1b2c3d.part`), 'left by a killed program');
    }
    await run('left', {isResumed: true});
    expect(filesOf('left')).toEqual(whole);
    const strange = join(root, 'strange');
    mkdirSync(strange);
    writeFileSync(join(strange, 'film.0a1b2c3d.part'), 'somebody’s');
    await expect(run('strange', {isResumed: true})).rejects.toThrow(/contains no reproduction: there is no reproduce/);
    expect(readdirSync(strange)).toEqual(['film.0a1b2c3d.part']);
  });

  test('with other seeds or papers is not continued', async () => {
    await expect(run('whole', {isResumed: true, seeds: [1, 2]})).rejects.toThrow(
      /whole belongs to another reproduction: seeds is "1-6" there and "1-2" here/,
    );
    const other = [{...TOY, name: 'other'}];
    await expect(run('whole', {isResumed: true, papers: other})).rejects.toThrow(
      /another reproduction: papers\.0 is "toy" there and "other" here/,
    );
    writeFileSync(join(root, 'file'), '');
    await expect(run('file')).rejects.toThrow(/file is a file, not a folder/);
    expect(filesOf('whole')).toEqual(whole);
  });
});

async function run(folder: string, more: Partial<ReproduceOptions> = {}): Promise<readonly Findings[]> {
  return reproduce({
    papers: [TOY],
    seeds: [1, 2, 3, 4, 5, 6],
    out: join(root, folder),
    jobs: 1,
    isResumed: false,
    fixtures: fileURLToPath(new URL('../../../fixtures/pages', import.meta.url)),
    worker: pathToFileURL(join(bundles, 'experimentWorker.mjs')),
    figureWorker: pathToFileURL(join(bundles, 'figureWorker.mjs')),
    signal: new AbortController().signal,
    onProgress: () => {},
    onNote: () => {},
    ...more,
  });
}

function filesOf(folder: string): Files {
  const path = join(root, folder);
  const files = readdirSync(path, {recursive: true, encoding: 'utf8'}).filter(name =>
    statSync(join(path, name)).isFile(),
  );
  return Object.fromEntries(files.sort().map(name => [name, readFileSync(join(path, name), 'latin1')]));
}
