import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {sctpLoad, tcpLoad} from '../../run/timeline/testing/handmadeLoads.ts';
import {sideOf} from '../../run/why/whyTable.ts';
import type {ShownRun} from '../../session/loads.ts';
import {ObjectDifferences} from './ObjectDifferences.tsx';

const parsed = parseScenario({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]});
if (!parsed.ok) throw new Error('the scenario is not valid');
const {scenario} = parsed;

function textsOf(first: Trace, second: Trace): readonly string[] {
  const run = {scenario, traces: [first, second]} as unknown as ShownRun;
  const sides = [0, 1].map(pane => sideOf(run, pane, 'finish', null, null));
  const [one, other] = sides;
  if (one === undefined || other === undefined) throw new Error('no sides');
  const html = renderToStaticMarkup(<ObjectDifferences run={run} sides={[one, other]} />);
  return html.split(/<\/?(?:tr|caption)>/).map(part =>
    part
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

test('objects with larger differences come first, and each has a cause of its difference', () => {
  const rows = textsOf(tcpLoad(), sctpLoad()).filter(text => text.startsWith('/img/'));
  expect(rows.length).toBeGreaterThan(0);
  const ms = rows.map(text => Math.abs(differenceMs(text)));
  expect(ms).toEqual(ms.toSorted((a, b) => b - a));
  expect(rows[0]).toMatch(/ [+−] [\d.]+ m?s \D+ [+−] [\d.]+ m?s$/);
});

test('an object that only one page has is named, and equal loads have no table', () => {
  const {data} = tcpLoad();
  const objects = data.objects.map(object => (object.url === '/img/a.jpg' ? {...object, url: '/img/z.jpg'} : object));
  const [, caption] = textsOf(tcpLoad(), new Trace({...data, objects}));
  expect(caption).toMatch(/\/img\/z\.jpg is not in .+; \/img\/a\.jpg is not in /);
  expect(textsOf(tcpLoad(), tcpLoad())).toEqual(['']);
});

/** The difference of a row, which follows the times of both sides. */
function differenceMs(row: string): number {
  const [, sign = '', value = '', unit = ''] = / ([+−]) ([\d.]+) (m?s) /.exec(row) ?? [];
  return Number(value) * (unit === 's' ? 1000 : 1) * (sign === '−' ? -1 : 1);
}
