import {expect, test} from 'vitest';
import type {CapturedLoad} from '../../captures/capturedLoad.ts';
import {captureTrace} from '../../captures/captureTrace.ts';
import {chunk, packet, smallLoad} from '../../captures/testing/capturedLoads.ts';
import {sendingsOf} from '../cause/sendings.ts';
import {parseScenario} from '../scenario/scenario.ts';
import {Trace} from '../trace/trace.ts';
import {causeTotals} from './causeTotals.ts';
import {criticalPath} from './criticalPath.ts';
import {lastRepair} from './repairs.ts';
import {PLAIN_OPTIONS} from './testing/plainOptions.ts';
import {whyOptionsOf} from './whyOptions.ts';

const MS = 1e6;

/** The times of the causes for the small load's picture, in ms, if the client sends the packets `up` instead. */
function causes(
  up: CapturedLoad['packets'],
  seenAt: 'client' | 'server' = 'client',
  samples: CapturedLoad['samples'] = [],
) {
  const load = smallLoad();
  const [html, image] = load.exchanges;
  if (html === undefined || image === undefined) throw new Error('the small load has two exchanges');
  const late = {...image, firstByteNs: 470 * MS, completeNs: 490 * MS, deliveries: []};
  const down = load.packets.filter(({direction, atNs}) => direction === 'down' && atNs <= 50 * MS);
  const answer = packet('down', 490, {chunks: [chunk(150, 400, [1, 400])], cumulativeAck: 120});
  const data = captureTrace({...load, seenAt, samples, exchanges: [html, late], packets: [...down, ...up, answer]});
  const path = criticalPath(
    new Trace(data),
    {object: 1, bytes: 400, atNs: 490 * MS},
    {...PLAIN_OPTIONS, hasTls: true, seenAt},
  );
  return Object.fromEntries(causeTotals(path).map(({name, ns}) => [name, ns / MS]));
}

const OPEN = [packet('up', 0, {kind: 'setUp'}), packet('up', 10, {cumulativeAck: 0})];
const HTML = packet('up', 30, {chunks: [chunk(0, 60, [0, 60])]});

test('a client’s capture shows that its request was lost and sent again', () => {
  const lost = packet('up', 50, {chunks: [chunk(60, 60, [1, 60])], fate: 'lost'});
  const again = packet('up', 350, {chunks: [{...chunk(60, 60, [1, 60]), retransmission: true}]});
  expect(causes([...OPEN, HTML, lost, again])).toMatchObject({'recovery-timeout': 300});
  expect(causes([...OPEN, HTML, lost, again])['blocking']).toBeUndefined();
});

test('data that is sent again within a round trip after a SACK of later data was not repeated by a timeout', () => {
  const lost = packet('up', 50, {chunks: [chunk(60, 60, [1, 60])], fate: 'lost'});
  const later = packet('up', 51, {chunks: [chunk(120, 40)]});
  const again = (ms: number) => packet('up', ms, {chunks: [{...chunk(60, 60, [1, 60]), retransmission: true}]});
  const report = (ms: number, sackedTo: number, cumulativeAck = 60) => packet('down', ms, {cumulativeAck, sackedTo});
  expect(causes([...OPEN, HTML, lost, later, report(150, 160), again(175)])).toMatchObject({'recovery-ack': 125});
  // a duplicate acknowledgement without a selective one may answer a repetition
  const plain = packet('down', 150, {cumulativeAck: 60});
  expect(causes([...OPEN, HTML, lost, later, plain, again(175)])).toMatchObject({'recovery-timeout': 125});
  // the last new report counts, and RACK waits for at most a round trip, here 99 ms
  const reports = [report(150, 160), report(240, 160)];
  expect(causes([...OPEN, HTML, lost, later, ...reports, again(249)])).toMatchObject({'recovery-ack': 199});
  expect(causes([...OPEN, HTML, lost, later, ...reports, again(250)])).toMatchObject({'recovery-timeout': 200});
  // a report of FIN, which is no data, changes nothing
  expect(causes([...OPEN, HTML, lost, later, report(150, 160), report(151, 161), again(175)])).toMatchObject({
    'recovery-ack': 125,
  });
  // the data before FIN is reported with it
  expect(causes([...OPEN, HTML, lost, later, report(150, 161), again(175)])).toMatchObject({'recovery-ack': 125});
  expect(causes([...OPEN, HTML, lost, later, report(150, 162), again(175)])).toMatchObject({'recovery-timeout': 125});
  // data that was sent before the lost packet says nothing about it
  const before = packet('up', 49, {chunks: [chunk(120, 40)]});
  expect(causes([...OPEN, HTML, before, lost, report(149, 160), again(175)])).toMatchObject({'recovery-timeout': 125});
  expect(causes([...OPEN, HTML, lost, later, again(140), report(150, 160)])).toMatchObject({'recovery-timeout': 90});
  // and it does not hide a report of later data
  const more = packet('up', 51, {chunks: [chunk(180, 40)]});
  const early = report(149, 160);
  expect(causes([...OPEN, HTML, before, lost, more, early, again(175)])).toMatchObject({'recovery-timeout': 125});
  const both = [early, report(151, 220)];
  expect(causes([...OPEN, HTML, before, lost, more, ...both, again(175)])).toMatchObject({'recovery-ack': 125});
});

test('a request that followed lost data waited until this data was sent again', () => {
  const lost = packet('up', 49, {chunks: [chunk(60, 10)], fate: 'lost'});
  const request = packet('up', 50, {chunks: [chunk(70, 60, [1, 60])]});
  const again = packet('up', 350, {chunks: [{...chunk(60, 10), retransmission: true}]});
  expect(causes([...OPEN, HTML, lost, request, again])).toMatchObject({blocking: 300});
  // data of another stream delays nothing, and neither does data that was repeated before the request
  const onFour = (each: typeof again) => ({...each, chunks: each.chunks.map(data => ({...data, stream: 4}))});
  expect(causes([...OPEN, HTML, onFour(lost), request, onFour(again)])['blocking']).toBeUndefined();
  expect(causes([...OPEN, HTML, lost, request, onFour(again)])['blocking']).toBeUndefined();
  expect(causes([...OPEN, HTML, lost, {...again, atNs: 49.5 * MS}, request])['blocking']).toBeUndefined();
});

test('a server’s capture shows the time from a request to the first packet of its response as the server’s', () => {
  const request = packet('up', 50, {chunks: [chunk(60, 60, [1, 60])]});
  const first = packet('down', 400, {chunks: [chunk(100, 50, [1, 50])]});
  // 20 ms of this time belong to the HTML
  expect(causes([...OPEN, HTML, request, first], 'server')).toMatchObject({server: 370});
  expect(causes([...OPEN, HTML, request, first], 'client')['server']).toBeUndefined();
  // the same with a sample of a sender whose window has room
  const sample = {connection: 0, side: 'server', atNs: 60 * MS, cwndBytes: 14_000, flightBytes: 0} as const;
  const samples = [{...sample, ssthreshBytes: Number.POSITIVE_INFINITY, srttNs: 0}];
  expect(causes([...OPEN, HTML, request, first], 'server', samples)).toMatchObject({server: 370});
});

test('lost data is repaired by the first packet that has its first byte and is not known to be lost', () => {
  const at = (ms: number, first: number, bytes: number, fate?: 'lost') =>
    packet('up', ms, {chunks: [chunk(first, bytes)], ...(fate === undefined ? {} : {fate})});
  const request = packet('up', 31, {chunks: [chunk(90, 60, [1, 60])]});
  const repaired = (...again: readonly ReturnType<typeof at>[]) => {
    const packets = [at(30, 60, 30, 'lost'), request, ...again];
    const trace = new Trace(captureTrace({...smallLoad(), packets}));
    return lastRepair(trace, {packet: 1, chunk: 1, sentNs: 31 * MS}, 1000 * MS);
  };
  // TCP may divide a repetition differently: the second half repairs nothing, and a segment with the first byte does
  expect(repaired(at(200, 75, 15), at(300, 40, 30))).toMatchObject({packet: 0, sentNs: 300 * MS});
  expect(repaired(at(200, 60, 30, 'lost'), at(400, 60, 30))).toMatchObject({packet: 0, sentNs: 400 * MS});
  expect(repaired(at(200, 60, 30, 'lost'))).toBeNull();
  expect(repaired(at(1001, 60, 30))).toBeNull();
});

test('a message of TLS that was lost and sent again is no request of bare datagrams', () => {
  const lost = packet('up', 12, {chunks: [chunk(0, 10)], fate: 'lost'});
  const again = packet('up', 25, {chunks: [{...chunk(0, 10), retransmission: true}]});
  const html = packet('up', 30, {chunks: [chunk(10, 50, [0, 50])]});
  const request = packet('up', 50, {chunks: [chunk(60, 60, [1, 60])]});
  expect(causes([...OPEN, lost, again, html, request])).toMatchObject({'recovery-timeout': 13});
  // a capture may begin after the handshake
  const trace = new Trace(captureTrace({...smallLoad(), packets: [lost, again, html]}));
  expect(sendingsOf(trace, 0, 1e9)).toMatchObject([{packet: 1, noticed: {by: 'timeout'}}]);
});

test('the scenario of a captured run says which end saw it', () => {
  const optionsFor = (path: object) => {
    const parsed = parseScenario({path, panes: [{pipeline: 'tcp'}], serverThinkMs: 5});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return whyOptionsOf(parsed.scenario, 0);
  };
  expect(optionsFor({captured: 'pcap', seenAt: 'server'})).toMatchObject({seenAt: 'server', thinkNs: 0});
  expect(optionsFor({})).toMatchObject({seenAt: null, thinkNs: 5e6});
});

test('what only the other end saw is not known', () => {
  const lost = packet('up', 50, {chunks: [chunk(60, 60, [1, 60])], fate: 'lost'});
  const again = packet('up', 350, {chunks: [chunk(60, 60, [1, 60])]});
  expect(causes([...OPEN, HTML, lost, again], 'server')['recovery-timeout']).toBeUndefined();
  // nothing was lost, so the whole time belongs to the path and the server
  const all = causes([...OPEN, HTML, packet('up', 50, {chunks: [chunk(60, 60, [1, 60])]})]);
  expect(Object.keys(all).sort()).toEqual(['set-up', 'tls', 'unknown']);
});
