import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {program} from '../../../files/program.ts';
import {startServer} from '../../../live/server/liveServer.ts';
import {openPage} from '../../../pages/openPage.ts';
import {bundleMain} from '../../../setup/bundle.mjs';
import {root} from '../../../setup/command.mjs';
import {main} from '../../main.ts';

// `interleave experiment` and `merge` as people run them.

const script = fileURLToPath(new URL('../../interleave.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'interleave-grid-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const base = {
  page: {synthetic: {indexBytes: 1000, objects: 3, objectBytes: 3000}},
  path: {rttMs: 200},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
};
const grid = {base, axes: {'path.loss': [0.02, 0.1], serverThinkMs: [0, 50]}, seeds: '1-150'};
beforeAll(async () => {
  await bundleMain();
  place('grid.json', grid);
  succeed('experiment', 'grid.json', '--out', 'whole', '--jobs', '1');
});

test('a grid may be live: each seed is one repetition, and a finished experiment is not loaded again', {
  tags: ['long'],
}, async () => {
  const page = await openPage({kind: 'named', name: 'text-10k'}, 'fixtures/pages');
  const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
  const path = {live: `127.0.0.1:${server.port}`};
  const live = {
    base: {page: 'text-10k', path, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]},
    axes: {'panes.1.streams': [1, 4]},
    seeds: '1-8',
    metrics: ['pageTimeMs', 'lostDown'],
  };
  place('live.json', live);
  const interleave = (...args: string[]): Promise<number | null> => {
    // the server runs in this process, which must not block meanwhile
    return new Promise(resolve => {
      spawn('node', [script, 'experiment', 'live.json', ...args], {cwd: folder}).on('close', resolve);
    });
  };
  try {
    expect(await interleave('--out', 'live')).toBe(0);
  } finally {
    await server.close();
  }
  const [, ...rows] = read('live/results.csv').trimEnd().split('\n');
  expect(rows).toHaveLength(2 * 8 * 2);
  for (const row of rows) expect(row).toMatch(/^[14],\d,[12],(tcp|sctp),complete,[\d.e-]+,,/);
  const {cells} = JSON.parse(read('live/summary.json'));
  expect(cells).toHaveLength(2);
  expect(JSON.stringify(cells)).not.toContain('NaN');
  // the experiment is complete, so nothing is loaded again
  expect(await interleave('--out', 'live', '--resume')).toBe(0);
  for (const more of [['--dry-run'], ['--visual', '--out', 'seen']]) expect(await interleave(...more)).toBe(2);
});

describe('an experiment', () => {
  test('has the same numbers as separate runs', () => {
    const [header = '', ...rows] = read('whole/results.csv').trimEnd().split('\n');
    expect(rows).toHaveLength(2 * 2 * 150 * 2);
    place('one.json', {...base, path: {...base.path, loss: 0.1}, serverThinkMs: 50});
    const alone = succeed('run', '--scenario', 'one.json', '--seeds', '7', '--csv').trimEnd().split('\n');
    const columns = header.split(',').slice(2);
    const names = (alone[0] ?? '').split(',');
    // every column except those of axes and of single objects
    const objects = names.slice(names.indexOf('object'), names.indexOf('failure') + 1);
    expect(columns.toSorted()).toEqual(names.filter(name => !objects.includes(name)).sort());
    const expected = alone.slice(1).map(row => {
      const cells = row.split(',');
      return columns.map(name => cells[names.indexOf(name)]).join();
    });
    const own = rows.filter(row => row.startsWith('0.1,50,7,')).map(row => row.split(',').slice(2).join());
    expect(own).toEqual([...new Set(expected)]);
  });

  test('has a self-contained report, and figures with their data', () => {
    const names = Object.keys(filesOf('whole')).sort();
    const page = 'whole-page-from-navigation';
    const figures = ['ppage', 'pren', page, `${page}-distribution`, `${page}-spread`];
    const ends = ['csv', 'png', 'screen.png', 'screen.svg', 'svg'];
    expect(names).toEqual([
      'experiment.json',
      ...figures.flatMap(figure => ends.map(end => `figures/${figure}.${end}`)).sort(),
      'report.html',
      'results.csv',
      'runs.ndjson',
      'summary.json',
    ]);
    const html = read('whole/report.html');
    expect(html.match(/<figure>/g)).toHaveLength(5);
    expect(html).not.toMatch(/<script|<link|<img/);
    for (const [, path] of html.matchAll(/href="(figures[^"]+)"/g)) expect(names).toContain(path);
    // the report has the same number as the summary
    const {cells} = JSON.parse(read('whole/summary.json'));
    const {mean} = cells[2].panes[1].metrics.finishMs.restricted;
    expect(html).toContain(`<td class="number">${(mean / 1000).toFixed(mean < 10_000 ? 3 : 2)}</td>`);
  });

  test('--json prints what was written, and nothing else', () => {
    const end = JSON.parse(succeed('experiment', 'grid.json', '--out', 'whole', '--resume', '--json'));
    expect(end).toEqual({
      program: program(),
      out: 'whole',
      runs: 600,
      before: 600,
      outputs: {cells: 4, loads: 1200, incomplete: 0},
    });
  });

  test('names the program that wrote it, and continues an experiment that another version began', () => {
    for (const file of ['experiment.json', 'summary.json'])
      expect(JSON.parse(readFileSync(join(folder, 'whole', file), 'utf8')).program).toBe(program());
    expect(readFileSync(join(folder, 'whole', 'report.html'), 'utf8')).toContain(`Made by ${program()}.`);
    const mark = join(folder, 'whole', 'experiment.json');
    const text = readFileSync(mark, 'utf8');
    writeFileSync(mark, text.replace(program(), 'interleave 0.0.1 (0000000)'));
    expect(succeed('experiment', 'grid.json', '--out', 'whole', '--resume')).toContain('600 runs are in whole');
    writeFileSync(mark, text);
  });

  const resumed = 'that %s ended can be resumed, and gives the same files';
  test.each([['Ctrl-C', 'SIGINT', 130] as const])(resumed, {tags: ['long']}, testResumed);
  test.each([['kill -9', 'SIGKILL', null] as const])(resumed, testResumed);

  async function testResumed(name: string, signal: NodeJS.Signals, code: number | null): Promise<void> {
    const out = `after ${name}`;
    const begun = spawn(process.execPath, [script, 'experiment', 'grid.json', '--out', out, '--jobs', '1'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = textOf(begun);
    const runs = join(folder, out, 'runs.ndjson');
    while (!existsSync(runs) || statSync(runs).size === 0) await sleep(5);
    begun.kill(signal);
    expect(await new Promise(resolve => begun.on('exit', resolve))).toBe(code);
    if (code !== null) {
      expect(await said).toBe(
        'interleave: the study was cancelled; finished runs are kept, and --resume continues it\n',
      );
    }
    const lines = readFileSync(runs, 'utf8').split('\n').length - 1;
    expect(lines).toBeLessThan(600);
    const text = succeed('experiment', 'grid.json', '--out', out, '--resume');
    expect(text).toContain(`600 runs are in ${out}, ${lines} of them from an earlier start\n`);
    expect(filesOf(out)).toEqual(filesOf('whole'));
  }

  test('--dry-run predicts how long it takes', {tags: ['long']}, () => {
    place('calm.json', {base, seeds: '1-150'});
    const plan = JSON.parse(succeed('experiment', 'calm.json', '--dry-run', '--json', '--jobs', '1'));
    expect(plan).toMatchObject({cells: 1, runs: 150, loads: 300});
    expect(plan.cpuS).toBeCloseTo((plan.cpuMsPerLoad * 300) / 1000, 6);
    expect(plan.wallS).toBe(plan.cpuS);
    // without loss all seeds take the same time, from the first packet to the last object
    place('alone.json', base);
    const {runs} = JSON.parse(succeed('run', '--scenario', 'alone.json', '--json'));
    const ends = runs[0].panes.map((pane: {objects: {completeMs: number}[]}) => {
      return Math.max(...pane.objects.map(({completeMs}) => completeMs));
    });
    expect(plan.realHours).toBeCloseTo((150 * (ends[0] + ends[1])) / 3.6e6, 9);
    const part = succeed('experiment', 'grid.json', '--dry-run', '--shard', '2/7');
    expect(part).toMatch(/^part 2\/7: 86 runs, 172 loads \(4 cells\)\nCPU time \d+\.\d\d ms a load, /);
    expect(existsSync(join(folder, 'undefined'))).toBe(false);
  });

  const noParallel = spawnSync('parallel', ['--version']).status === 0 ? '' : ' (skipped: there is no GNU parallel)';
  test.skipIf(noParallel !== '')(`runs in parts under GNU parallel${noParallel}`, {tags: ['long']}, () => {
    const job = `'${process.execPath}' '${script}' experiment grid.json --jobs 1 --resume --shard {}/2 --out part-{}`;
    const {status, stderr} = spawnSync('parallel', ['-j', '2', job, ':::', '1', '2'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(join(folder, 'part-1')).sort()).toEqual(['experiment.json', 'runs.ndjson']);
    const {outputs} = JSON.parse(succeed('merge', 'part-1', 'part-2', '--out', 'joined', '--json'));
    expect(outputs).toEqual({cells: 4, loads: 1200, incomplete: 0});
    expect(filesOf('joined')).toEqual(filesOf('whole'));
  });
});

describe('bad input gives one line and exit code 2:', () => {
  beforeAll(() => {
    place('eye.json', {...grid, metrics: ['goodMs']});
    place('page.json', {...grid, axes: {page: ['gallery', 'galery']}});
    place('cell.json', base);
    writeFileSync(join(folder, 'text.json'), 'axes');
    writeFileSync(join(folder, 'deep.json'), '['.repeat(200_000));
  });

  test.each([
    ['a missing grid file', ['experiment', '--out', 'a'], /the grid file is missing/],
    ['two grid files', ['experiment', 'grid.json', 'b', '--out', 'a'], /grid\.json and b are two/],
    [
      'a grid file that does not exist',
      ['experiment', 'none.json', '--out', 'a'],
      /none\.json: no file that can be read/,
    ],
    ['a grid file that is not JSON', ['experiment', 'text.json', '--out', 'a'], /text\.json: not JSON/],
    [
      'a grid that is nested too deep',
      ['experiment', 'deep.json', '--out', 'a'],
      /deep\.json: nested more than 100 deep/,
    ],
    [
      'a scenario instead of a grid',
      ['experiment', 'cell.json', '--out', 'a'],
      /cell\.json: page is not a setting of a grid.*and 4 more/,
    ],
    ['a missing folder', ['experiment', 'grid.json'], /--out DIR is missing/],
    [
      'a folder that is a file',
      ['experiment', 'grid.json', '--out', 'grid.json'],
      /grid\.json is a file, not a folder$/m,
    ],
    [
      'a folder that is not empty',
      ['experiment', 'grid.json', '--out', 'whole'],
      /whole is not empty \(experiment\.json\)/,
    ],
    ['zero jobs', ['experiment', 'grid.json', '--out', 'a', '--jobs', '0'], /--jobs is 0: must be 1 to 256/],
    [
      'a part that does not exist',
      ['experiment', 'grid.json', '--out', 'a', '--shard', '3/2'],
      /--shard is 3\/2: must be I\/N like 2\/8/,
    ],
    ['a misspelled option', ['experiment', 'grid.json', '--out', 'a', '--resum'], /did you mean --resume\?/],
    [
      'a visual metric without --visual',
      ['experiment', 'eye.json', '--out', 'a'],
      /metrics has goodMs, which is only measured with --visual/,
    ],
    ['an unknown page', ['experiment', 'page.json', '--out', 'a'], /page: galery is neither .*did you mean gallery/],
    ['no parts to merge', ['merge', '--out', 'a'], /the folders of the parts are missing/],
    ['a missing folder for the merged experiment', ['merge', 'whole'], /--out DIR is missing/],
    ['a part that is not an experiment', ['merge', 'nowhere', '--out', 'a'], /nowhere contains no experiment/],
  ])('%s', async (_, args, line) => {
    const told: string[] = [];
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(text => told.push(String(text)) > 0);
    const printed = vi.fn();
    const paths = args.map(arg => (/^(\w+\.json|a|whole|nowhere)$/.test(arg) ? join(folder, arg) : arg));
    const code = await main(paths, {
      root,
      buildRenderer: async () => {},
      writeOut: async text => printed(text),
    });
    stderr.mockRestore();
    expect([code, told]).toEqual([2, [expect.stringMatching(/^interleave: [^\n]*\n$/)]]);
    expect(told[0]).toMatch(line);
    expect(printed).not.toHaveBeenCalled();
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });
});

interface Files {
  readonly [name: string]: string;
}

/** Returns the hashes of all files in a folder. */
function filesOf(name: string): Files {
  const entries = readdirSync(join(folder, name), {recursive: true, withFileTypes: true});
  const files = entries.filter(entry => entry.isFile());
  return Object.fromEntries(
    files.map(({parentPath, name: file}) => [
      relative(join(folder, name), join(parentPath, file)),
      createHash('sha256')
        .update(readFileSync(join(parentPath, file)))
        .digest('hex'),
    ]),
  );
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function place(name: string, document: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(document));
}

function interleave(args: readonly string[]) {
  return spawnSync(process.execPath, [script, ...args], {cwd: folder, encoding: 'utf8', maxBuffer: 1e8});
}

function succeed(...args: readonly string[]): string {
  const {status, stdout, stderr} = interleave(args);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

async function textOf({stderr}: ChildProcess): Promise<string> {
  let text = '';
  for await (const piece of stderr ?? []) text += piece;
  return text;
}
