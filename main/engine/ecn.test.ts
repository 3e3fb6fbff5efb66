import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {pipelines} from '../../app/pipelines/index.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, ECN, FATE} from '../../app/run/trace/columns.ts';
import {markSentence} from '../../app/run/trace/marks.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {runDocument} from '../workers/testing/runs.ts';

const SYNTHETIC = {indexBytes: 3000, objects: 5, objectBytes: 200_000, headerBytes: 250, requestBytes: 200};
/** The pipelines that let users choose ECN. */
const CHOOSING = pipelines().filter(({settings}) => Object.hasOwn(settings, 'ecn'));

/** The trace of a load through a queue. */
function load(pane: {readonly [key: string]: Json}, queue: Json): Trace {
  const path = {rateBps: 5_000_000, rttMs: 50, queue: {down: queue}};
  const document = {page: {synthetic: SYNTHETIC}, path, panes: [{profile: 'modern', ...pane}], seed: 1};
  const [data] = runDocument(document).panes;
  if (data === undefined) throw new Error('no pane');
  return new Trace(data);
}

function problemsOf(document: Json): string {
  const parsed = parseScenario(document);
  return parsed.ok ? '' : parsed.problems.map(({message}) => message).join('\n');
}

test('pipelines over TCP and QUIC can use ECN, and without it they send Not-ECT packets', () => {
  expect(CHOOSING.map(({name}) => name)).toEqual(['tcp', 'h2', 'h3']);
  for (const {name} of CHOOSING) {
    const trace = load({pipeline: name}, {kind: 'codel'});
    expect(new Set(trace.data.packets.ecn), name).toEqual(new Set([ECN.notEct]));
    expect(trace.markedPackets(), name).toEqual([]);
    expect(measure(trace.data).marked, name).toBeUndefined();
  }
});

test('with ECN the queue marks packets of the server instead of dropping them', () => {
  for (const {name} of CHOOSING) {
    const [off, classic] = ['off', 'classic'].map(ecn => load({pipeline: name, ecn}, {kind: 'codel'}));
    const early = off?.droppedPackets().filter(packet => off.data.packets.fate[packet] === FATE.early) ?? [];
    expect(early.length, name).toBeGreaterThan(2);
    expect(classic?.droppedPackets(), name).toEqual([]);
    const marked = classic?.markedPackets() ?? [];
    expect(marked.length, name).toBeGreaterThan(2);
    const {direction, ecn} = classic?.data.packets ?? {};
    for (const packet of marked) {
      expect(direction?.[packet], name).toBe(DIRECTION.down);
      expect(ecn?.[packet], name).toBe(ECN.ect0);
    }
    const [first = 0] = marked;
    expect(classic && markSentence(classic, first), name).toMatch(
      /^By \d.* s the queue had marked a packet from the server with data of .* to signal congestion \(ECN\)\. Nothing was lost; the browser reports the mark/,
    );
    expect(classic && measure(classic.data).marked, name).toEqual({down: marked.length, up: 0});
  }
});

test('with L4S the queue marks packets with ECT(1), and they wait less than with classic ECN', () => {
  const longestWaitNs = ({data: {packets}}: Trace): number =>
    Math.max(...packets.leftNs.map((leftNs, packet) => (leftNs > 1e9 ? leftNs - (packets.sentNs[packet] ?? 0) : 0)));
  for (const {name} of CHOOSING) {
    const [classic, l4s] = (['classic', 'l4s'] as const).map(ecn => load({pipeline: name, ecn}, {kind: 'dualpi2'}));
    if (classic === undefined || l4s === undefined) throw new Error(name);
    expect(l4s.markedPackets().length, name).toBeGreaterThan(10);
    for (const packet of l4s.markedPackets()) expect(l4s.data.packets.ecn[packet], name).toBe(ECN.ect1);
    expect(longestWaitNs(l4s), name).toBeLessThan(longestWaitNs(classic) / 2);
  }
});

test.each([
  [{pipeline: 'sctp', ecn: 'classic'}, /^panes\[0\]\.ecn is "classic": must be absent: dcSCTP has no ECN/],
  [{pipeline: 'udp', ecn: 'off'}, /^panes\[0\]\.ecn is "off": must be absent: without congestion control/],
  [{pipeline: 'catp', ecn: 'l4s'}, /^panes\[0\]\.ecn is "l4s": must be absent: without congestion control/],
  [{pipeline: 'h3', ecn: 'on'}, /^panes\[0\]\.ecn is "on": must be "off" or "classic" or "l4s"/],
  [{pipeline: 'h2', ecn: 'l4s', congestion: 'bbr'}, /^panes\[0\]\.ecn is "l4s": must be off or classic, because bbr/],
])('%j is refused with the reason', (pane, message) => {
  expect(problemsOf({panes: [pane]})).toMatch(message);
});

test('live servers decide themselves whether they use ECN, so live panes refuse the setting', () => {
  for (const {name} of CHOOSING) {
    expect(problemsOf({path: {live: '127.0.0.1:9899'}, panes: [{pipeline: name, ecn: 'classic'}]}), name).not.toBe('');
  }
});
