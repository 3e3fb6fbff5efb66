import {expect, test} from 'vitest';
import {parseGrid} from '../experiment/grid.ts';
import {openRow} from './claimRows.ts';
import {countText, findingsOf} from './findings.ts';
import {Results} from './gridResults.ts';
import type {Paper} from './paper.ts';
import {paperReport, summaryReport} from './paperReport.ts';

const PAPER: Paper = {
  name: 'toy',
  title: 'Toy',
  notes: ['A note.'],
  grids: [],
  tables: () => [],
  figures: () => [],
  claims: [
    {
      text: 'It is so',
      source: 'Toy §1',
      rows: () => [
        {where: 'here', theirs: '1 s', ours: '2 s', verdict: 'differs', size: '1 s more', p: 0},
        {where: 'there', theirs: '1 s', ours: '1 s', verdict: 'agrees', size: '', p: 1},
      ],
      why: () => ['Because of that.'],
    },
    {text: 'And so', source: 'Toy §2', rows: () => [openRow('', '1', 'not built')], why: () => []},
  ],
};
const FINDINGS = findingsOf(PAPER, new Results(new Map()));

test('a claim has a table with a verdict in each row, followed by the reasons', () => {
  const {lead, sections} = paperReport(FINDINGS, '1-50', []);
  expect(lead[0]).toBe('The 2 claims of this paper: 1 differs, 1 open. Seeds: 1-50.');
  const [overview, claim, why, other] = sections[0]?.parts ?? [];
  expect(overview).toMatchObject({
    table: {
      rows: [
        ['It is so', 'Toy §1', {verdict: 'differs'}, '1 agrees, 1 differs'],
        ['And so', 'Toy §2', {verdict: 'open'}, '1 open'],
      ],
    },
  });
  expect(claim).toMatchObject({
    table: {
      caption: 'It is so (Toy §1)',
      rows: [
        ['here', '1 s', '2 s', {verdict: 'differs'}, '1 s more'],
        ['there', '1 s', '1 s', {verdict: 'agrees'}, ''],
      ],
    },
  });
  expect(why).toEqual({kind: 'text', text: 'Because of that.'});
  expect(other).toMatchObject({table: {caption: 'And so (Toy §2)'}});
});

test('reports print the rules of verdicts and the command that repeats the runs', () => {
  for (const {sections} of [paperReport(FINDINGS, '1-50', []), summaryReport([FINDINGS], '1-50')]) {
    const parts = sections.at(-1)?.parts ?? [];
    expect(parts).toContainEqual({
      kind: 'command',
      command: 'npx interleave reproduce toy --out DIR --seeds 1-50',
    });
    expect(JSON.stringify(parts)).toContain('is widened by 15 % on each side');
  }
});

test('the summary counts the claims of all papers, and has a section for each paper', () => {
  const {lead, sections} = summaryReport([FINDINGS, FINDINGS], '1-50');
  expect(lead[0]).toBe('The 4 claims of 2 papers: 2 differ, 2 open. Seeds: 1-50.');
  expect(sections.map(({heading}) => heading)).toEqual(['Toy', 'Toy', 'Method']);
});

test('for each cell, the report compares the first pane with each other pane that has a complete load', () => {
  const base = {page: {synthetic: {objects: 1}}, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'sctp'}]};
  const axes = {'path.loss': [0, 0.05]};
  const paperGrid = {name: 'loss', about: 'pages', base, axes, kept: {metrics: ['pageTimeMs']}};
  const parsed = parseGrid({base, axes, seeds: '1-3'});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const totals = (ms: number) => [
    {name: 'set-up', ns: 100e6} as const,
    {name: 'recovery-timeout', ns: ms * 1e6} as const,
  ];
  const cells = [
    {cell: 0, panes: [totals(1000), totals(1000), null]},
    {cell: 1, panes: [totals(3000), totals(1000), totals(4000)]},
  ];
  const causes = [{paperGrid, grid: parsed.grid, seeds: [1, 2, 3], cells}];
  const {sections} = paperReport(FINDINGS, '1-50', causes);
  expect(sections.map(({heading}) => heading)).toEqual(['Claims', 'Where the time went', 'Method']);
  expect(sections[1]?.parts).toEqual([
    {
      kind: 'table',
      table: {
        caption: 'loss: pages (means over 3 seeds; docs/why.md defines the causes)',
        columns: [
          {name: 'path.loss', align: 'left'},
          {name: 'why', align: 'left'},
        ],
        rows: [
          ['0 %', expect.stringContaining('are equally fast')],
          ['5 %', expect.stringMatching(/^HTTP over SCTP.* is 2\.00 s ahead of .*TCP.*: 2\.00 s less/)],
          ['5 %', expect.stringMatching(/is 1\.00 s ahead of/)],
        ],
      },
    },
  ]);
  expect(paperReport(FINDINGS, '1-50', []).sections.map(({heading}) => heading)).toEqual(['Claims', 'Method']);
});

test('the report says which seeds each grid uses', () => {
  const grid = {name: 'g', about: 'x', base: {}, axes: {}, kept: {metrics: []}};
  const grids = [
    grid,
    {...grid, mostSeeds: 2},
    {...grid, moreSeeds: {times: 12, rowsBefore: 0}},
    {...grid, moreSeeds: {times: 12, rowsBefore: 1}},
  ];
  const {sections} = paperReport(findingsOf({...PAPER, grids}, new Results(new Map())), '1-50', []);
  const tables = sections.flatMap(({parts}) => parts.flatMap(part => (part.kind === 'table' ? [part.table] : [])));
  const many = 'consecutive seeds, 12 times as many as given';
  expect(tables.at(-1)?.rows.map(row => row[2])).toEqual([
    'as given',
    'the first 2 given seeds',
    `${many}, from the smallest given seed on`,
    `${many}; they begin after the seeds that another paper uses, which are 12 times as many as given`,
  ]);
});

test('a claim’s rows are judged together, and reported without their p-values', () => {
  const row = {where: '', theirs: '', ours: '', size: ''};
  const slightly = {...row, verdict: 'differs', p: 0.03} as const;
  const others = Array.from({length: 9}, () => ({...row, verdict: 'agrees', p: 1}) as const);
  const claim = {text: 'Much', source: 'Toy §3', rows: () => [slightly, ...others], why: () => []};
  const [found] = findingsOf({...PAPER, claims: [claim]}, new Results(new Map())).claims;
  expect(found?.verdict).toBe('open');
  expect(found?.rows.map(({verdict}) => verdict)).toEqual(['open', ...others.map(() => 'agrees')]);
  expect(found?.rows.some(each => 'p' in each)).toBe(false);
});

test('verdicts that do not occur are left out of the counts', () => {
  const rows = (['agrees', 'agrees', 'open'] as const).map(verdict => ({verdict}));
  expect([countText(rows), countText([])]).toEqual(['2 agree, 1 open', '']);
});
