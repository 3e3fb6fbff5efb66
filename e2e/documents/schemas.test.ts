import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {afterAll, describe, expect, test} from 'vitest';
import {parseAnyGrid} from '../../app/study/experiment/grid.ts';
import {PAPERS} from '../../app/study/papers/list.ts';
import {parseStory} from '../../app/telling/story/story.ts';
import {runHere} from '../../main/cli/testing/runHere.ts';
import {root} from '../../main/setup/command.mjs';

// Compares the schemas of grids, stories and results with the program. scenarioSchema.test.ts compares the schema of
// scenarios.

const schema = (name: string): object => jsonOf(`schemas/${name}.schema.json`) as object;
const jsonOf = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const [grid, story, result] = ['grid', 'story', 'result'].map(name =>
  new Ajv2020({strict: true, allErrors: false}).compile(schema(name)),
) as [ValidateFunction, ValidateFunction, ValidateFunction];

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith(ending))
    .map(name => `${folder}/${name}`);

describe('the schema of grids', () => {
  const files = [...filesIn('examples', '.grid.json'), ...filesIn('fixtures/experiments', '.grid.json')];

  test.each(files)('takes %s', path => {
    expect(grid(jsonOf(path)), JSON.stringify(grid.errors)).toBe(true);
  });

  test.each(PAPERS.flatMap(({grids}) => grids).map(({name, base, axes}) => [name, {base, axes, seeds: '1-5'}]))(
    'takes the grid %s of a paper',
    (_, each) => {
      expect(grid(each), JSON.stringify(grid.errors)).toBe(true);
    },
  );

  const GRID = {base: 'n07-movie', seeds: '1-3'};
  test.each([
    ['nothing but what is required', GRID, true],
    ['a list of seeds', {...GRID, seeds: [1, 2, 7]}, true],
    ['all metrics', {...GRID, metrics: null}, true],
    ['a range', {...GRID, axes: {'path.loss': {from: 0, to: 0.1, step: 0.05}}}, true],
    [
      'points with labels',
      {
        ...GRID,
        axes: {
          side: [
            {label: 'a', 'path.rttMs': 1},
            {label: 2, 'path.rttMs': 2},
          ],
        },
      },
      true,
    ],
    ['a scenario as base', {...GRID, base: {path: {rttMs: 5}}}, true],
    ['no seeds', {base: 'n07-movie'}, false],
    ['seeds with a letter', {...GRID, seeds: '1-x'}, false],
    ['a seed twice', {...GRID, seeds: [1, 1]}, false],
    ['a preset that does not exist', {...GRID, base: 'n07-movi'}, false],
    ['a base with a wrong value', {...GRID, base: {path: {rttMs: -5}}}, false],
    ['an unknown key', {...GRID, metric: ['pageTimeMs']}, false],
    ['an unknown metric', {...GRID, metrics: ['pageTime']}, false],
    ['a metric twice', {...GRID, metrics: ['pageTimeMs', 'pageTimeMs']}, false],
    ['an axis without points', {...GRID, axes: {'path.loss': []}}, false],
    ['a point twice', {...GRID, axes: {'path.loss': [0, 0]}}, false],
    ['a step of 0', {...GRID, axes: {'path.loss': {from: 0, to: 1, step: 0}}}, false],
    [
      'a point without a label among others',
      {...GRID, axes: {side: [{label: 'a', 'path.rttMs': 1}, {'path.rttMs': 2}]}},
      false,
    ],
    ['a label alone', {...GRID, axes: {side: [{label: 'a'}]}}, false],
    ['axes that are no object', {...GRID, axes: [0]}, false],
    ['a long name', {...GRID, name: 'x'.repeat(201)}, false],
  ])('takes or refuses, as the program does: %s', (_, document, isGood) => {
    expect([parseAnyGrid(document).ok, grid(document)], JSON.stringify(grid.errors)).toEqual([isGood, isGood]);
  });
});

describe('the schema of stories', () => {
  test.each(filesIn('fixtures/stories', '.story.json'))('takes %s', path => {
    expect(story(jsonOf(path)), JSON.stringify(story.errors)).toBe(true);
  });

  const of = (step: object): object => ({story: 1, title: 'T', steps: [{scenario: 'n07-movie', ...step}]});
  test.each([
    ['one step', of({}), true],
    ['settings', of({set: {'path.loss': 0.1}}), true],
    ['a scenario', of({scenario: {seed: 3}}), true],
    [
      'all keys',
      of({
        from: 1,
        to: 2,
        speed: 'auto',
        view: {zoom: [0, 1]},
        highlight: {objects: [0, '/']},
        text: 'a',
        notes: 'a\nb',
      }),
      true,
    ],
    ['another version', {...of({}), story: 2}, false],
    ['no title', {...of({}), title: '  '}, false],
    ['no steps', {...of({}), steps: []}, false],
    ['a preset that does not exist', of({scenario: 'n07-movi'}), false],
    ['a scenario with a wrong key', of({scenario: {sed: 3}}), false],
    ['settings that are a list', of({set: []}), false],
    ['a speed of 0', of({speed: 0}), false],
    ['text of two lines', of({text: 'a\nb'}), false],
    ['text that changes its direction', of({text: 'a\u202eb'}), false],
    ['notes with a carriage return', of({notes: 'a\r\nb'}), false],
    ['long text', of({text: 'x'.repeat(301)}), false],
    ['an unknown view', of({view: {timeline: 'none'}}), false],
    ['an object number that is too large', of({highlight: {objects: [1001]}}), false],
    ['a loss without a pane', of({highlight: {loss: {number: 1}}}), false],
    ['an unknown key', of({note: ''}), false],
  ])('takes or refuses, as the program does: %s', (_, document, isGood) => {
    expect([parseStory(document).ok, story(document)], JSON.stringify(story.errors)).toEqual([isGood, isGood]);
  });
});

describe('the schema of results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-schemas-'));
  afterAll(() => rmSync(folder, {recursive: true}));

  const printed = async (...args: string[]): Promise<string> => {
    const {status, stdout} = await runHere(folder, args);
    expect(status).toBe(0);
    return stdout;
  };
  const trace = join(folder, 'movie.trace');
  const other = join(folder, 'other.trace');

  test.each([
    ['one seed', ['--scenario', 'n07-movie']],
    ['several seeds and panes', ['--scenario', 'web-lte', '--seeds', '1-3']],
    ['loads that are not complete', ['--scenario', 'n07-movie', '--set', 'timeLimitMs=4000', '--seeds', '1,2']],
    ['a synthetic page', ['--set', 'page={"synthetic":{}}']],
    [
      'a queue that marks packets',
      ['--set', 'path.queue={"kind":"codel"}', '--set', 'panes=[{"pipeline":"h2","ecn":"classic"},{"pipeline":"h3"}]'],
    ],
    ['converted pictures', ['--set', 'panes=[{"pipeline":"tcp","conversion":"webp"},{"pipeline":"tcp"}]']],
    ['a trace file', ['--trace', trace]],
    ['panes of several trace files', ['--trace', trace, '--trace', other]],
  ])('takes what run --json prints for %s', async (_, args) => {
    if (args.includes(trace)) await printed('trace', '--scenario', 'n07-movie', '--out', trace);
    if (args.includes(other)) await printed('trace', '--page', 'gallery-3k', '--out', other);
    const document = JSON.parse(await printed('run', ...args, '--json')) as object;
    expect(result(document), JSON.stringify(result.errors)).toBe(true);
    expect(result({...document, more: 1})).toBe(false);
  });

  test('refuses a result in which a number is missing or is a string', async () => {
    const document = JSON.parse(await printed('run', '--json'));
    const [pane] = document.runs[0].panes;
    pane.pageTimeMs = '12';
    expect(result(document)).toBe(false);
    delete pane.pageTimeMs;
    expect(result(document)).toBe(false);
    pane.pageTimeMs = null;
    expect(result(document)).toBe(true);
  });
});
