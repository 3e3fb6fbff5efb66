import {expect, test} from 'vitest';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {hitTest} from '../hits.ts';
import type {TimelineModel} from '../model.ts';
import {PALETTES} from '../palette.ts';
import {allPlots} from '../plots.ts';
import {drawn} from '../testing/drawn.ts';
import {GOLDEN_MODELS} from '../testing/goldenModels.ts';
import {tipText} from '../tip.ts';

const MS = 1e6;
const MODEL = GOLDEN_MODELS.find(({name}) => name === 'packets-stacked')?.model;
const TRACE = MODEL?.panes[0]?.trace;
if (MODEL === undefined || TRACE === undefined) throw new Error('there is no golden of the packets view');
const [PLOT] = allPlots(MODEL);
/** Sent at 260 ms, with data of object 1. */
const PACKET = 6;

test('acknowledgements of QUIC, and of protocols over bare datagrams, have no line and are not in the legend', () => {
  const [pane] = MODEL.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const steps = (panes: TimelineModel['panes']) =>
    drawn({...MODEL, panes}).lines.filter(({colour, points}) => {
      return colour === PALETTES.light.dim && points.length > 2;
    });
  const told = (panes: TimelineModel['panes']) =>
    MODEL.view.marks(panes, 'stacked', 'bytes').some(({text}) => text.startsWith('acknowledged'));
  expect([steps([pane]).length, told([pane])]).toEqual([1, true]);
  for (const pipeline of ['h3', 'udp', 'catp'] as const) {
    const other = {...pane, trace: new Trace({...TRACE.data, pipeline})};
    expect([steps([other]).length, told([other])]).toEqual([0, false]);
  }
});

test('the y axis is named after what it counts', () => {
  const [pane] = MODEL.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const names = (...pipelines: readonly ('tcp' | 'sctp' | 'udp')[]) => {
    const panes = pipelines.map(pipeline => ({...pane, trace: new Trace({...TRACE.data, pipeline})}));
    const texts = drawn({...MODEL, panes, layout: 'overlaid'}).texts.map(({text}) => text);
    return texts.filter(text => /TSN|frame/.test(text));
  };
  expect([names('tcp'), names('sctp'), names('udp'), names('sctp', 'udp')]).toEqual([
    [],
    ['TSN'],
    ['frame'],
    ['TSN / frame'],
  ]);
});

test('the packet in the packet panel is framed, and a line marks when it was sent, in the graph of its pane', () => {
  const plain = drawn(MODEL).lines.map(line => JSON.stringify(line));
  const more = drawn({...MODEL, openedPacket: {trace: TRACE, packet: PACKET}}).lines.filter(
    line => !plain.includes(JSON.stringify(line)),
  );
  const [line, frame, ...others] = more;
  expect(others).toEqual([]);
  const x = PLOT?.x(260 * MS) ?? 0;
  expect(line?.points.map(point => point.x)).toEqual([expect.closeTo(x, 1), expect.closeTo(x, 1)]);
  expect(line?.points.map(({y}) => y)).toEqual([
    expect.closeTo(PLOT?.box.y ?? 0, 1),
    expect.closeTo((PLOT?.box.y ?? 0) + (PLOT?.box.height ?? 0), 1),
  ]);
  expect([line?.colour, frame?.colour]).toEqual([PALETTES.light.text, PALETTES.light.text]);
  const hit = hitTest(MODEL, {x, y: ((frame?.points[0]?.y ?? 0) + (frame?.points[2]?.y ?? 0)) / 2});
  expect(hit).toMatchObject({kind: 'packet', packet: PACKET, object: 1});
  expect(hit?.kind === 'packet' && hit.trace).toBe(TRACE);
  expect(hit === undefined ? '' : tipText(MODEL, hit, 0)).toMatch(
    /, sent at 0\.260 s: click to look inside or to drop it$/,
  );
});

test('with several panes in one graph, the packet with the same number in another pane gets no frame', () => {
  const [pane] = MODEL.panes;
  if (pane === undefined) throw new Error('the model has no panes');
  const panes = [pane, {...pane, trace: new Trace(pane.trace.data)}];
  const model = {...MODEL, panes, layout: 'overlaid'} as const;
  const lines = (looked: Partial<TimelineModel>) => drawn({...model, ...looked}).lines.length;
  expect(lines({openedPacket: {trace: pane.trace, packet: PACKET}}) - lines({})).toBe(2);
});

test('a packet without data has no frame, but only the line', () => {
  const acknowledgement = 9;
  const lines = (packet?: number) =>
    drawn({...MODEL, openedPacket: packet === undefined ? null : {trace: TRACE, packet}}).lines.length;
  expect(lines(acknowledgement) - lines()).toBe(1);
});
