import {readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {measure} from '../../app/metrics/metrics.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {lateLoad, sctpLoad, tcpLoad} from './goldens/loads.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {modelSvg} from './timelineSvg.ts';
import {VIEWS} from './views/list.ts';
import {percent} from './views/percent.ts';

// Every view as a picture, in `goldens/`: to look at in a browser, and to read in a diff.
// `npx vitest run renderer/timeline/goldens -u` draws them anew.

const MS = 1e6;
const [tcp, sctp, late] = [
  paneOf('TCP classic', tcpLoad()),
  paneOf('SCTP classic, 3 streams', sctpLoad()),
  paneOf('TCP late', lateLoad()),
];
const CHANGES = [
  {atNs: 400 * MS, text: 'rate 1 → 2 Mbit/s'},
  {atNs: 600 * MS, text: 'loss 4 % → 0'},
];

const PICTURES: {readonly [name: string]: Partial<TimelineModel>} = {
  stacked: {panes: [tcp, sctp], changes: CHANGES},
  overlaid: {panes: [tcp, sctp], layout: 'overlaid', height: 200, hovered: new Set([1])},
  three: {panes: [tcp, sctp, late], layout: 'overlaid', height: 200, theme: 'dark', selected: 2},
  zoomed: {
    ...{panes: [late], width: 480, height: 160, fromNs: 300 * MS, toNs: 800 * MS},
    ...{hovered: new Set([2]), selected: 1},
  },
  small: {panes: [tcp, sctp], changes: CHANGES, width: 320, height: 120, fontPx: 11},
};

describe.each(VIEWS)('$name', view => {
  test.each(Object.keys(PICTURES))('%s is drawn as its golden', async name => {
    const svg = normalised(modelSvg(modelOf({...PICTURES[name], view}), 580 * MS));
    await expect(svg).toMatchFileSnapshot(`goldens/${view.name}-${name}.svg`);
  });
});

test('every golden is of a view and a picture that there are', () => {
  const wanted = VIEWS.flatMap(view => Object.keys(PICTURES).map(name => `${view.name}-${name}.svg`));
  expect(GOLDENS).toEqual(wanted.sort());
});

const GOLDENS = readdirSync(`${import.meta.dirname}/goldens`)
  .filter(name => name.endsWith('.svg'))
  .sort();

/** An element a line, numbers to a tenth of a pixel. */
function normalised(svg: string): string {
  return svg
    .replaceAll(/-?\d+\.\d+/g, number => String(Math.round(Number(number) * 10) / 10))
    .replaceAll('><', '>\n<');
}

function modelOf(part: Partial<TimelineModel>): TimelineModel {
  return {
    ...{panes: [], view: percent, layout: 'stacked', theme: 'light', hovered: new Set(), selected: null},
    ...{changes: [], width: 640, height: 300, fontPx: 13, fromNs: 0, toNs: 1020 * MS},
    ...part,
  };
}

function paneOf(label: string, trace: Trace): TimelinePane {
  return {trace, metrics: measure(trace.data), label};
}
