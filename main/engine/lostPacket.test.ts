import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {causeOf, type DataCargo} from '../../app/run/cause/cause.ts';
import {effectsOf, effectWords, oneLossSentence} from '../../app/run/cause/effect.ts';
import {isDatagramRequest} from '../../app/run/cause/sendings.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests check what the preset with one lost packet should show in each pane.

const SIDES = ['TCP', 'TCP × 6', 'HTTP/2', 'HTTP/3', 'SCTP', 'CATP'];
const sides = traces(findPreset('one-lost-packet')?.scenario ?? null);
const RTT_NS = 350e6;

test('one sentence describes the effect in all panes', () => {
  expect(oneLossSentence(sides, SIDES)).toBe(
    'One lost packet: the whole page stood still on TCP and HTTP/2; ' +
      'one picture on TCP × 6, SCTP and CATP, two pictures on HTTP/3.',
  );
});

test('there is no sentence about one lost packet if two packets are lost', () => {
  const loss = {down: {packets: [40, 60], applies: 'data'}, up: 0};
  const two = traces({path: {loss}, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}], discovery: 'complete'});
  expect(two.map(trace => effectsOf(trace).length)).toEqual([2, 2]);
  expect(oneLossSentence(two, ['TCP', 'SCTP'])).toBe('');
});

test('the panes have the expected pipelines', () => {
  expect(sides.map(({data}) => data.pipeline)).toEqual(['tcp', 'tcp', 'h2', 'h3', 'sctp', 'catp']);
});

test('over HTTP/3 later data of other streams also reveals a loss', () => {
  const loss = {down: {packets: [5], applies: 'data'}, up: 0};
  const [trace] = traces({path: {loss}, panes: [{pipeline: 'h3'}], discovery: 'complete'});
  const [lost = -1] = trace?.droppedPackets() ?? [];
  const cause = trace === undefined ? undefined : causeOf(trace, lost);
  if (cause?.cargo.kind !== 'data') throw new Error('expected that the lost packet had data');
  // The first data of a picture is lost, and no other data of this picture is sent before the loss is noticed.
  // An ACK is a report if it reports more of the later data. ACKs that carry data of QPACK only repeat earlier ACKs.
  expect(cause.cargo.sendings[0]?.noticed).toMatchObject({by: 'reports', count: 6});
});

test.each([{abstract: 'tcp'}, {adapter: true}])(
  'in a load that also uses TCP, lost datagrams are requested again, and lost requests are sent again: %o',
  pane => {
    const requests = {up: {packets: [pane.adapter ? 0 : 1], applies: 'data'}, down: 0};
    const [request, requestCargo] = onlyLoss(pane, requests);
    expect(isDatagramRequest(request.data, request.droppedPackets()[0] ?? -1)).toBe(true);
    expect(requestCargo.sendings).toMatchObject([{isLost: false, noticed: {by: 'timeout'}}]);
    const frames = {down: {packets: [9], applies: 'data'}, up: 0};
    const [, frameCargo] = onlyLoss(pane, frames);
    expect(frameCargo.sendings).toMatchObject([{isLost: false, noticed: {by: 'request'}}]);
  },
);

/** A load over CATP with the only packet that it lost. */
function onlyLoss(pane: {readonly [key: string]: Json}, loss: Json): readonly [Trace, DataCargo] {
  const path = {rateBps: 1_000_000, rttMs: 100, loss};
  const [trace] = traces({page: 'gallery', path, panes: [{pipeline: 'catp', ...pane}]});
  const [lost = -1, ...others] = trace?.droppedPackets() ?? [];
  const cargo = trace && causeOf(trace, lost)?.cargo;
  if (trace === undefined || cargo?.kind !== 'data' || others.length > 0)
    throw new Error('expected exactly one lost packet, with data');
  return [trace, cargo];
}

describe.each(SIDES.map((name, i) => [name, sides[i] as Trace] as const))('over %s', (name, trace) => {
  const [effect, ...others] = effectsOf(trace);
  const isInOrder = name === 'TCP' || name === 'HTTP/2';

  test('one packet with data of pictures is lost in the middle of the load', () => {
    expect(trace.droppedPackets()).toHaveLength(1);
    expect(others).toEqual([]);
    const share = trace.totalBytesAt(effect?.lostNs ?? 0) / trace.totalBytesAt(trace.data.endNs);
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.8);
  });

  test('the lost data is retransmitted at least a round trip later', () => {
    const cause = causeOf(trace, effect?.packet ?? -1);
    if (cause?.cargo.kind !== 'data') throw new Error('expected that the lost packet had data');
    const [again] = cause.cargo.sendings;
    expect((again?.sentNs ?? 0) - cause.lostNs).toBeGreaterThan(RTT_NS);
    expect(again?.noticed?.by).toBe(name === 'CATP' ? 'request' : 'reports');
    expect(effect?.endNs).toBeGreaterThan(again?.sentNs ?? 0);
  });

  test(isInOrder ? 'the whole page stands still' : 'only the pictures in the lost packet stand still', () => {
    if (effect === undefined) throw new Error('expected that a packet was lost');
    const [what, more] = effectWords(trace, effect);
    const waiting = effect.stopped.filter(({isOwn}) => !isOwn);
    if (isInOrder) {
      expect(waiting.length).toBeGreaterThan(2);
      expect(what).toMatch(/^the whole page stood still for 0\.\d\d s$/);
      expect(more).toBe(`${waiting.length} other pictures had arrived and waited`);
      return;
    }
    expect(waiting).toEqual([]);
    expect(effect.othersThatGrew).toBeGreaterThan(3);
    expect(what).toMatch(/^([a-z]+\.jpg|2 pictures) stood still for 0\.\d\d s$/);
    expect(more).toBe(`${effect.othersThatGrew} others went on`);
  });
});
