import {expect, test} from 'vitest';
import {Trace} from '../../../app/run/trace/trace.ts';
import {connectionLegend, connectionName} from './connections.ts';
import {hitTest} from './hits.ts';
import type {TimelineModel} from './model.ts';
import {PALETTES} from './palette.ts';
import {allPlots} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {tipText} from './tip.ts';

// The pane TCP × 3 sends its packets over its connections in rotation. The pane below it has a single connection.

const MS = 1e6;

test('packets of each connection are in their own lane, which has the connection’s number', () => {
  const model = modelOf('packets-parallel');
  const [plot] = allPlots(model);
  const {box, x} = plot ?? {box: {x: 0, y: 0, width: 0, height: 0}, x: (ns: number) => ns};
  const packets = model.panes[0]?.trace.data.packets;
  const lanes = drawn(model).rects.flatMap(rect => {
    const middle = rect.y + rect.height / 2;
    if (middle > box.y + box.height || rect.width > 4) return [];
    const at = rect.x + rect.width / 2;
    const row = packets?.sentNs.findIndex(ns => Math.abs(x(ns) - at) < 0.1) ?? -1;
    return [{row, lane: Math.ceil((3 * (middle - box.y)) / box.height) - 1}];
  });
  expect(lanes.length).toBeGreaterThan(5);
  for (const {row, lane} of lanes) expect(lane, `packet ${row}`).toBe(row % 3);
  const names = drawn(model).texts.filter(({text}) => text.startsWith('conn.'));
  expect(names.map(({text}) => text)).toEqual(['conn. 1', 'conn. 2', 'conn. 3']);
  for (const [lane, {y}] of names.entries()) expect(Math.floor((3 * (y - box.y)) / box.height)).toBe(lane);
});

test('a lost packet can be pointed at in its lane, and the tip of a packet names the connection', () => {
  const model = modelOf('packets-parallel');
  const packet = 8;
  const [rect] = drawn(model).rects.filter(
    ({x, width}) => Math.abs(x + width / 2 - (allPlots(model)[0]?.x(270 * MS) ?? 0)) < 0.1,
  );
  const hit = hitTest(model, {x: (rect?.x ?? 0) + 1.5, y: (rect?.y ?? 0) + 2});
  expect(hit).toMatchObject({kind: 'loss', packet});
  const came = {kind: 'packet', trace: traceOf(model), packet: 7, object: 2} as const;
  expect(tipText(model, came, 0)).toContain('sent on connection 2 at 0.265 s');
});

test.each(['window', 'rtt'])('in %s each connection has its own line, and the tip names the connection', view => {
  const model = modelOf(`${view}-parallel`);
  const colours = connectionLegend('light', model.panes.slice(0, 1)).map(([, colour]) => colour);
  expect(new Set(colours).size).toBe(3);
  const [plot] = allPlots(model);
  const foot = (plot?.box.y ?? 0) + (plot?.box.height ?? 0);
  for (const [connection, colour] of colours.entries()) {
    const lines = drawn(model).lines.filter(
      line => line.colour === colour && line.points.length > 2 && (line.points[0]?.y ?? foot) < foot,
    );
    expect(lines).toHaveLength(1);
    const [from] = lines[0]?.points ?? [];
    // before anything changes the value, and away from every timer
    const point = {x: plot?.x(200 * MS) ?? 0, y: from?.y ?? 0};
    const hit = hitTest(model, point);
    const tip = hit === undefined ? '' : tipText(model, hit, plot?.x.invert(point.x) ?? 0);
    expect(tip).toMatch(new RegExp(`^connection ${connection + 1}: (cwnd|no RTT)`));
  }
  const texts = drawn(model).texts.map(({text}) => text);
  for (const entry of ['1 ━', '2 ━', '3 ━']) expect(texts).toContain(entry);
});

test('in a graph of several panes, lines have the style of their pane, however many connections it has', () => {
  const model: TimelineModel = {...modelOf('window-parallel'), layout: 'overlaid'};
  const {text} = PALETTES.light;
  const lines = drawn(model).lines.filter(({points, colour}) => points.length > 4 && colour === text);
  expect(lines.map(({dash}) => dash === '')).toEqual([true, true, true, false]);
});

test('the legend of several panes names only cwnd if a pane has several connections, because only cwnd is drawn', () => {
  const {view, panes} = modelOf('window-parallel');
  const [, single] = panes;
  if (single === undefined) throw new Error('the model has two panes');
  const legendOf = (shown: typeof panes) => view.legend('light', shown).map(([text]) => text);
  expect(legendOf(panes)).toEqual(['cwnd']);
  expect(legendOf([single, single])).toEqual(['cwnd ━', 'flight size ━', 'ssthresh ┄', 'recovery ▨']);
});

test('in the waterfall the connection’s number is before each bar and in the tip', () => {
  const model = modelOf('waterfall-parallel');
  const numbers = drawn(model).texts.filter(({text}) => /^\d$/.test(text));
  expect(numbers.map(({text}) => text)).toEqual(['1', '1', '2', '1']);
  const hit = {kind: 'object', object: 2} as const;
  expect(tipText(model, hit, 0)).toBe('/img/b.png, connection 2 of TCP × 3');
  expect(model.view.marks(model.panes, 'stacked', 'bytes').map(mark => mark.text)).toContain('connection number');
  expect(model.view.marks(model.panes.slice(1), 'stacked', 'bytes').map(mark => mark.text)).not.toContain(
    'connection number',
  );
});

test('eight connections have different samples in the legend, and a single connection has no name', () => {
  const model = modelOf('window-parallel');
  const trace = traceOf(model);
  const connections = Array.from({length: 8}, (_, i) => ({client: 2 * i, server: 2 * i + 1, streams: 1}));
  const eight = new Trace({...trace.data, connections});
  const [pane] = model.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const entries = connectionLegend('dark', [{...pane, trace: eight}]);
  expect(new Set(entries.map(([text, colour]) => `${text.slice(1)} ${colour}`)).size).toBe(8);
  expect(connectionName(trace, 1)).toBe('connection 2');
  expect(connectionName(model.panes[1]?.trace ?? trace, 0)).toBe('');
});

function traceOf(model: TimelineModel) {
  const trace = model.panes[0]?.trace;
  if (trace === undefined) throw new Error('the model has no panes');
  return trace;
}

function modelOf(name: string): TimelineModel {
  const golden = GOLDEN_MODELS.find(each => each.name === name);
  if (golden === undefined) throw new Error(`no golden is called ${name}`);
  return golden.model;
}
