import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {root} from '../main/setup/command.mjs';

// The API as the npm package has it: the bundle dist/main/api.mjs.

type Api = typeof import('../main/api/index.ts');
let api: Api;
beforeAll(async () => {
  api = (await import(pathToFileURL(join(root, 'dist/main/api.mjs')).href)) as Api;
});

const SMALL = {page: {synthetic: {objects: 3, objectBytes: 5000}}, path: {rttMs: 100, loss: 0.02}};

test('run gives the same result as interleave run --json', async () => {
  const args = ['run', '--scenario', 'n07-hsdpa', '--seeds', '1-3', '--json'];
  const {stdout} = spawnSync(process.execPath, ['main/cli/interleave.mjs', ...args], {cwd: root, encoding: 'utf8'});
  expect(JSON.parse(JSON.stringify(await api.run('n07-hsdpa', {seeds: '1-3'})))).toEqual(JSON.parse(stdout));
});

test('runs are in the order of the seeds, and threads change nothing', async () => {
  const one = await api.run(SMALL, {seeds: [5, 2, 9], threads: 1});
  expect(one.runs.map(({seed}) => seed)).toEqual([5, 2, 9]);
  expect(await api.run(SMALL, {seeds: '5,2,9'})).toEqual(one);
});

test('load returns everything that happened, and measure returns the same metrics as run', async () => {
  const load = await api.load(SMALL, {seed: 7});
  expect(load.scenario).toMatchObject({seed: 7, path: {rttMs: 100}});
  const [pane] = load.panes;
  expect(pane?.packets.sentNs).toBeInstanceOf(Float64Array);
  expect(pane?.objects.map(({url}) => url)).toHaveLength(4);
  const {runs} = await api.run(SMALL, {seeds: [7]});
  expect(api.measure(load)).toEqual(runs[0]?.panes);
});

test('openPage returns a page, and load and run take this page', async () => {
  const page = await api.openPage('gallery-3k');
  expect(page).toMatchObject({name: 'gallery-3k', source: 'gallery-3k', leftOut: []});
  expect(page.objects[0]).toMatchObject({
    url: '/',
    contentType: expect.stringMatching(/^text\/html/),
    body: expect.any(Uint8Array),
  });
  const {page: stamp, scenario} = await api.run({path: {rttMs: 10}}, {page});
  expect([stamp.hash, scenario.page]).toEqual([page.hash, 'gallery-3k']);
  const synthetic = await api.openPage({synthetic: {objects: 2}});
  expect(await api.load({page: synthetic.source})).toEqual(await api.load({}, {page: synthetic}));
});

describe('figure', () => {
  const losses = [0, 0.05];
  let results: Awaited<ReturnType<Api['run']>>[];
  beforeAll(async () => {
    results = [];
    for (const loss of losses) results.push(await api.run({...SMALL, path: {loss}}, {seeds: '1-4'}));
  });

  test('draws means against x, and boxes for a single result', async () => {
    const lines = await api.figure(results, {x: {key: 'path.loss', values: losses}});
    expect(lines).toMatch(/^<svg .*Whole page from navigation against loss/is);
    expect(lines).toContain('Points are means');
    const [one] = results;
    if (one === undefined) throw new Error('there is no result');
    expect(await api.figure(one)).toContain('median');
    expect(await api.figure(one, {kind: 'ecdf', metric: 'setupMs'})).toMatch(/<svg .*set-up/is);
    expect(await api.figure(one, {style: 'screen'})).not.toBe(await api.figure(one));
  });

  test.each([
    ['several results without x', {}, 'there are 2 results and no x'],
    ['too few values', {x: {key: 'path.loss', values: [0]}}, 'x.values has 1 values: must be 2'],
    [
      'a value that a result does not have',
      {x: {key: 'path.loss', values: [0, 0.04]}},
      'result 2 must equal the first except for path.loss = 0.04',
    ],
    ['a key that does not exist', {x: {key: 'path.los', values: losses}}, 'x: axes at path.los=0'],
    ['an unknown metric', {metric: 'pageTime'}, 'metric is pageTime: must be one of setupMs, '],
  ])('refuses %s', async (_, options, message) => {
    await expect(api.figure(results, options)).rejects.toThrow(message);
  });

  test('refuses results with different seeds, lines for a single result, and an empty list', async () => {
    const other = await api.run({...SMALL, path: {loss: 0.05}}, {seeds: '1-3'});
    const x = {key: 'path.loss', values: losses};
    await expect(api.figure([...results.slice(0, 1), other], {x})).rejects.toThrow('result 2 has other seeds');
    await expect(api.figure(other, {kind: 'lines'})).rejects.toThrow('kind is lines: needs several results');
    await expect(api.figure([])).rejects.toThrow('results is empty');
  });
});

describe('bad input is refused by an error that names the value and the limit:', () => {
  test.each([
    [
      'a preset that does not exist',
      () => api.load('n07-movi'),
      'InputError',
      'scenario is n07-movi: neither a preset nor a link; did you mean n07-movie?',
    ],
    [
      'a wrong value',
      () => api.run({path: {loss: 2}}),
      'InputError',
      'scenario: path.loss is 2: must be a number from 0 to 1',
    ],
    ['an unknown key', () => api.run({pathh: {}} as object), 'InputError', 'did you mean path?'],
    [
      'a live path',
      () => api.load({path: {live: 'localhost:1'}}),
      'InputError',
      'only interleave run, trace and experiment can load live',
    ],
    [
      'a range of seeds in the wrong order',
      () => api.run({}, {seeds: '9-1'}),
      'InputError',
      'seeds is "9-1": must be like 1-50 or 1,2,7',
    ],
    ['a negative seed', () => api.load({}, {seed: -1}), 'InputError', 'seeds is [-1]'],
    ['a page that does not exist', () => api.openPage('galery'), 'PageError', 'did you mean gallery?'],
    ['an address that is not public', () => api.openPage('http://127.0.0.1:1/'), 'FetchError', 'not a public address'],
  ])('%s', async (_, call, name, message) => {
    await expect(call()).rejects.toMatchObject({name, message: expect.stringContaining(message)});
  });
});
