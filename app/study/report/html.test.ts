import {expect, test} from 'vitest';
import {gridFigures} from '../figures/gridFigures.ts';
import {LOSS_GRID, summaryOf} from '../figures/testing/grids.ts';
import {reportHtml} from './html.ts';
import type {Report} from './report.ts';

const [figure] = gridFigures(summaryOf(LOSS_GRID));
if (figure === undefined) throw new Error('there are figures');
const report: Report = {
  title: 'Loss & <script>alert(1)</script>',
  lead: ['a "lead"'],
  sections: [
    {
      heading: 'One',
      parts: [
        {kind: 'text', text: '1 < 2'},
        {kind: 'command', command: 'npx interleave experiment "a b.json" > x'},
        {kind: 'figure', figure},
      ],
    },
    {
      heading: 'Two',
      parts: [
        {
          kind: 'table',
          table: {
            caption: 'claims',
            columns: [
              {name: 'claim', align: 'left'},
              {name: 'ours', align: 'right'},
              {name: 'verdict', align: 'left'},
            ],
            rows: [['T<sub>', '1.5', {verdict: 'differs'}]],
          },
        },
      ],
    },
  ],
};
const html = reportHtml(report, {
  program: 'interleave 1.2.3 (abc1234)',
  figureOf: name => ({
    svg: `<svg id="${name}"></svg>`,
    files: [{name: 'csv', path: `figures/${name}.csv`}],
  }),
});

test('a report names the program that made it', () => {
  expect(html).toContain('<meta name="generator" content="interleave 1.2.3 (abc1234)">');
  expect(html).toContain('Made by interleave 1.2.3 (abc1234).');
});

test('a report is self-contained: it has no script and fetches nothing', () => {
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:/);
  expect(html).toContain('<!doctype html>');
});

test('markup in texts is shown as text', () => {
  expect(html).toContain('<title>Loss &amp; &lt;script&gt;alert(1)&lt;/script&gt;</title>');
  expect(html).toContain('<p>a &quot;lead&quot;</p>');
  expect(html).toContain('<p>1 &lt; 2</p>');
  expect(html).toContain('<td>T&lt;sub&gt;</td>');
  expect(html).toContain('&quot;a b.json&quot; &gt; x');
});

test('a report shows figures with their files, numbers aligned to the right, and verdicts as words', () => {
  expect(html).toContain('<svg id="page-time-t"></svg>');
  expect(html).toContain('<a href="figures/page-time-t.csv">csv</a>');
  expect(html).toContain('<td class="number">1.5</td>');
  expect(html).toContain('<th class="number" scope="col">ours</th>');
  expect(html).toContain('<b class="differs">differs</b>');
});

test('the table of contents links to the sections', () => {
  const ids = [...html.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
  const links = [...html.matchAll(/<li><a href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links).toEqual(ids);
  expect(links).toHaveLength(2);
});
