import {expect, test} from 'vitest';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {hitTest} from '../hits.ts';
import type {TimelineModel} from '../model.ts';
import {PALETTES} from '../palette.ts';
import {allPlots} from '../plots.ts';
import {drawn} from '../testing/drawn.ts';
import {GOLDEN_MODELS} from '../testing/goldenModels.ts';
import {tipText} from '../tip.ts';
import {cwnd} from './cwnd.ts';
import {rtt} from './rtt.ts';

const MS = 1e6;
const {text, dim, warning, accent, background} = PALETTES.light;
const STACKED = modelOf('rtt-stacked');
const [PLOT] = allPlots(STACKED);
if (PLOT === undefined) throw new Error('the model has no graph');
const {box, x} = PLOT;

test('a timeout is a line up to the expired RTO, red for the server, grey for the browser', () => {
  const {lines, rects} = drawn(STACKED);
  const [rto] = lines.filter(({colour, points}) => colour === text && points.length > 2);
  const [before, after] = [rto?.points[0]?.y ?? 0, rto?.points.at(-1)?.y ?? 0];
  expect(after).toBeLessThan(before);
  const upright = (colour: string) =>
    lines.filter(each => each.colour === colour && each.dash === '' && each.points[0]?.y !== each.points[1]?.y);
  const [timeout] = upright(warning);
  expect(timeout?.points[0]?.x).toBeCloseTo(x(600 * MS), 1);
  expect(timeout?.points.map(({y}) => y)).toEqual([expect.closeTo(before, 1), expect.closeTo(box.y + box.height, 1)]);
  const block = rects.find(({colour}) => colour === warning);
  expect((block?.x ?? 0) + (block?.width ?? 0) / 2).toBeCloseTo(x(600 * MS), 1);
  expect(upright(dim)[0]?.points[0]?.x).toBeCloseTo(x(90 * MS), 1);
});

test('a tail loss probe is dashed, and has no block', () => {
  const dashed = drawn(STACKED).lines.filter(({colour, dash}) => colour === warning && dash !== '');
  expect(dashed.map(({points}) => points[0]?.x)).toEqual([expect.closeTo(x(270 * MS), 1)]);
  expect(drawn(STACKED).rects.filter(({colour}) => colour === warning)).toHaveLength(1);
});

test('each doubling of an RTO has the same height', () => {
  const {texts} = drawn(STACKED);
  const yOf = (label: string) => texts.find(each => each.text === label)?.y ?? Number.NaN;
  expect(yOf('1 s') - yOf('2 s')).toBeCloseTo(yOf('100 ms') - yOf('200 ms'), 1);
  expect(yOf('1 s') - yOf('2 s')).toBeGreaterThan(10);
});

test('there is no SRTT before the first measurement', () => {
  const srtt = drawn(STACKED).lines.find(({colour, points}) => colour === accent && points.length > 2);
  expect(srtt?.points[0]?.x).toBeCloseTo(x(250 * MS), 1);
});

test('the tip shows SRTT and RTO, and the effect of a timer', () => {
  const tipAt = (ms: number, y: number) => {
    const hit = hitTest(STACKED, {x: x(ms * MS), y});
    return hit === undefined ? undefined : tipText(STACKED, hit, ms * MS);
  };
  const [rto] = drawn(STACKED).lines.filter(({colour, points}) => colour === text && points.length > 2);
  const level = rto?.points[0]?.y ?? 0;
  expect(tipAt(400, level)).toBe('SRTT 100 ms, RTO 1.00 s');
  expect(tipAt(150, level)).toBe('no RTT measured yet, RTO 1.00 s');
  const foot = box.y + box.height - 1;
  expect(tipAt(600, foot)).toBe('the server’s retransmission timeout 1, at 0.60 s: RTO 1.00 s → 2.00 s');
  expect(tipAt(270, foot)).toBe('the server’s tail loss probe 1, at 0.27 s: RTO 1.00 s');
  expect(tipAt(90, foot)).toMatch(/^the browser’s retransmission timeout 1/);
  expect(tipAt(400, foot)).toBeUndefined();
});

test('if nothing is known about the server, the lines and their legend are the browser’s', () => {
  const [pane] = STACKED.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const {data} = pane.trace;
  const {samples} = data;
  const client = data.connections[0]?.client;
  const own = (_: unknown, row: number): boolean => samples.endpoint[row] === client;
  const trace = new Trace({
    ...data,
    samples: Object.assign({}, samples, {
      endpoint: samples.endpoint.filter(own),
      atNs: samples.atNs.filter(own),
      rtoNs: samples.rtoNs.filter(own),
      srttNs: samples.srttNs.filter(own).fill(50 * MS),
      timeouts: samples.timeouts.filter(own),
      probes: samples.probes.filter(own),
    }),
  });
  const model: TimelineModel = {...STACKED, panes: [{...pane, trace}]};
  expect(drawn(model).texts.map(each => each.text)).toEqual(
    expect.arrayContaining(['browser’s RTO ━', 'browser’s SRTT ━']),
  );
  expect(
    drawn(STACKED)
      .texts.map(each => each.text)
      .join(),
  ).not.toContain('browser’s RTO ━');
  const srtt = drawn(model).lines.find(({colour, dash}) => colour === accent && dash === '');
  const level = srtt?.points[0]?.y ?? 0;
  const hit = hitTest(model, {x: x(500 * MS), y: level});
  expect(hit === undefined ? undefined : tipText(model, hit, 500 * MS)).toMatch(/^the browser’s SRTT 50 ms, RTO/);
});

test('for a transport without measurements, the graph has a text about that instead of an axis', () => {
  const [pane] = STACKED.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const {data} = pane.trace;
  const trace = new Trace({...data, connections: [{client: 8, server: 9, streams: 1}]});
  for (const [view, why] of [
    [rtt, 'no RTT is measured'],
    [cwnd, 'no congestion window'],
  ] as const) {
    const texts = drawn({...STACKED, view, panes: [{...pane, trace}]}).texts.map(each => each.text);
    expect(texts).toContain(why);
    expect(texts.filter(each => /^\d+ (ms|KB)$|^(RTO|SRTT)/.test(each))).toEqual([]);
    expect(drawn({...STACKED, view}).texts.map(each => each.text)).not.toContain(why);
  }
});

test('QUIC’s probe timeout is a frame on a solid line, with the names that QUIC uses', () => {
  const [pane] = STACKED.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const quic = {...pane, trace: new Trace({...pane.trace.data, pipeline: 'h3'})};
  const model = {...STACKED, panes: [quic]};
  const {lines, rects, texts} = drawn(model);
  const at = lines.filter(({colour, dash}) => colour === warning && dash === '').map(({points}) => points[0]?.x);
  expect(at).toEqual([270, 600].map(ms => expect.closeTo(x(ms * MS), 1)));
  // the mark at 600 ms is a retransmission timeout, which QUIC does not have, so its square is filled
  const inner = rects.filter(({colour}) => colour === background);
  expect(inner.map(rect => rect.x + rect.width / 2)).toEqual([expect.closeTo(x(270 * MS), 1)]);
  expect(texts.map(each => each.text)).toContain('PTO ━');
  const tip = hitTest(model, {x: x(270 * MS), y: box.y + box.height - 1});
  expect(tip === undefined ? '' : tipText(model, tip, 270 * MS)).toBe(
    'the server’s probe timeout 1, at 0.27 s: PTO 1.00 s',
  );
  const marks = rtt.marks([quic], 'stacked', 'bytes').map(mark => mark.text);
  expect(marks).toEqual(expect.arrayContaining(['PTO: timeout for an ACK', 'server’s probe timeout']));
  const both = rtt.marks([pane, quic], 'stacked', 'bytes').map(mark => mark.text);
  expect(both[0]).toBe('RTO or PTO: timeout for an ACK');
});

test('all graphs have the same scale, whatever their values, also in columns', () => {
  const [pane] = STACKED.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const {data} = pane.trace;
  const slow = {...data, samples: {...data.samples, rtoNs: data.samples.rtoNs.map(ns => 8 * ns)}};
  for (const count of [2, 6]) {
    const panes = Array.from({length: count}, (_, i) => (i === 0 ? {...pane, trace: new Trace(slow)} : pane));
    const model = {...STACKED, panes, height: 900};
    const values = drawn(model).texts.filter(each => /^\d+ m?s$/.test(each.text) && each.anchor === 'end');
    const perGraph = allPlots(model).map(plot =>
      values
        .filter(
          ({x: at, y}) =>
            at < plot.box.x && at > plot.box.x - 80 && y >= plot.box.y && y <= plot.box.y + plot.box.height,
        )
        .map(({text: value, y}) => `${value} ${Math.round(y - plot.box.y)}`),
    );
    expect(perGraph).toHaveLength(count);
    expect(perGraph[0]?.length).toBeGreaterThan(1);
    for (const each of perGraph) expect(each).toEqual(perGraph[0]);
  }
});

test('timers that fired after t are neither drawn nor found', () => {
  const model = {...STACKED, revealNs: 580 * MS};
  expect(drawn(model).rects.filter(({colour}) => colour === warning)).toEqual([]);
  expect(hitTest(model, {x: x(600 * MS), y: box.y + box.height - 1})).toBeUndefined();
});

test('a legend names the timers that fired', () => {
  const texts = (panes: TimelineModel['panes']) => rtt.marks(panes, 'stacked', 'bytes').map(mark => mark.text);
  const lines = ['RTO: timeout for an ACK', 'SRTT: smoothed round trip'];
  expect(texts(STACKED.panes.slice(0, 1))).toEqual([
    ...lines,
    'server’s retransmission timeout',
    'server’s tail loss probe',
    'browser’s retransmission timeout',
  ]);
  expect(texts(STACKED.panes.slice(1, 2))).toEqual([...lines, 'browser’s retransmission timeout']);
});

function modelOf(name: string): TimelineModel {
  const golden = GOLDEN_MODELS.find(each => each.name === name);
  if (golden === undefined) throw new Error(`no golden is called ${name}`);
  return golden.model;
}
