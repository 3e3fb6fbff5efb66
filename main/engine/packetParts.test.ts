import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {rowsOf} from '../../app/base/order.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {decodePacket} from '../../app/run/packets/decodePacket.ts';
import type {Part} from '../../app/run/packets/part.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {objectName} from '../../app/run/trace/traceTexts.ts';
import {openPage} from '../pages/openPage.ts';
import {capture, load, packetParts} from './load.ts';

// These tests compare decoded packets of runs with the trace.

const DOCUMENT = {page: 'gallery', path: {rateBps: 500_000, rttMs: 100, loss: 0.05}};
const scenario = parsed({
  ...DOCUMENT,
  panes: [
    {pipeline: 'tcp', profile: 'modern'},
    {pipeline: 'sctp', streams: 3},
  ],
});
const fixtures = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));
const page = await openPage(scenario.page, fixtures);
const traces = load(page, scenario, scenario.seed).panes.map(data => new Trace(data));

test.each([
  ['TCP', 0],
  ['SCTP', 1],
])('packets of %s are decoded completely, with the same size, data and sender as in the trace', (name, pane) => {
  const trace = traceOf(pane);
  const bytes = capturedPackets(capture(page, scenario, scenario.seed, pane));
  const {packets, chunks} = trace.data;
  const rows = [...packets.sentNs.keys()].filter(row => row < 12 || row % 9 === 0 || trace.isRetransmission(row));
  const firsts = new Map<number, number>();
  for (const row of rows) {
    const [ip, transport] = decodePacket(bytes, row);
    expect(bytes[row]?.length).toBe(packets.bytes[row]);
    expect([ip?.fault, transport?.fault, transport?.name]).toEqual([undefined, undefined, name]);
    expect(allFaults(transport)).toEqual([]);
    expect(textOf(ip, 'from')).toBe(packets.direction[row] === 0 ? '10.0.0.2' : '10.0.0.1');
    // The trace counts from 0, beginning with the first sequence number or TSN of each sender.
    const data = name === 'TCP' ? segmentData(transport) : chunksData(transport);
    const own = rowsOf(chunks.packet, row);
    expect(data.map(({bytes}) => bytes)).toEqual(own.map(chunk => chunks.bytes[chunk]));
    for (const [i, chunk] of own.entries()) {
      const sender = packets.endpoint[row] ?? 0;
      const first = ((data[i]?.number ?? 0) - (chunks.first[chunk] ?? 0)) >>> 0;
      expect(firsts.get(sender) ?? first, `packet ${row}`).toBe(first);
      firsts.set(sender, first);
    }
  }
  expect(firsts.size).toBe(2);
});

test.each([
  [{pipeline: 'tcp'}, ['response head (index.html)', 'continues body (lake.jpg)']],
  [
    {pipeline: 'tcp', tls: true, connections: 3, pipelining: false},
    ['TLS record, application_data', 'continues TLS record, application_data', 'continues body (lighthouse.jpg)'],
  ],
  [
    {pipeline: 'h2'},
    ['ClientHello', 'connection preface', 'SETTINGS', 'HEADERS, stream 1 (index.html)', 'continues DATA of stream 5'],
  ],
  [{pipeline: 'h2', tls: false}, ['DATA, stream 1 (index.html)', 'continues DATA of stream 5']],
  [
    {pipeline: 'h3'},
    [
      'QUIC Initial packet',
      'ClientHello',
      'HANDSHAKE_DONE',
      'stream header',
      'HEADERS',
      'STREAM, stream 0 (index.html)',
    ],
  ],
  [
    {pipeline: 'h3', profile: 'modern', certificateCompression: true},
    ['CompressedCertificate', 'NEW_TOKEN', 'PADDING'],
  ],
  [{pipeline: 'h2', visit: 'again'}, ['ClientHello', 'EndOfEarlyData', 'HEADERS, stream 1 (index.html)']],
  [{pipeline: 'h3', visit: 'again'}, ['QUIC 0-RTT packet', 'QUIC 1-RTT packet', 'continues DATA']],
  [{pipeline: 'udp'}, ['request for index.html', 'frame 1 of ']],
  [{pipeline: 'catp'}, ['abstract frame 1 of ', 'data frame ', 'piece of the body']],
  [{pipeline: 'catp', abstract: 'tcp'}, ['message', 'continues abstract frame 1 of ', 'abstract frame 1 of ']],
])('packets of %j have the expected parts, and the same objects as in the trace', (pane, expected) => {
  const own = parsed({...DOCUMENT, panes: [pane]});
  const [data] = load(page, own, own.seed).panes;
  if (data === undefined) throw new Error('no pane');
  const trace = new Trace(data);
  const bytes = capturedPackets(capture(page, own, own.seed, 0));
  const found = new Set<string>();
  for (const row of bytes.keys()) {
    if (row > 60 && row % 5 !== 0) continue;
    const [ip, transport, ...content] = decodePacket(bytes, row);
    expect([ip, transport, ...content].flatMap(allFaults), `packet ${row}`).toEqual([]);
    for (const part of content.flatMap(allParts)) found.add(part.name);
    const told = content.flatMap(allParts).flatMap(({name}) => objectNames(name));
    const carried = trace.objectsOf(row).map(({object}) => objectName(trace, object));
    // Datagrams over UDP do not contain the URL of the object that was requested over TCP.
    if ('abstract' in pane && told.length === 0) continue;
    expect([...new Set(told)].sort(), `packet ${row}`).toEqual([...new Set(carried)].sort());
  }
  for (const name of expected)
    expect(
      [...found].some(each => each.startsWith(name)),
      name,
    ).toBe(true);
});

test('packets of SCTP over DTLS are records of the handshake, and records with packets of SCTP', () => {
  const own = parsed({...DOCUMENT, panes: [{pipeline: 'sctp', profile: 'modern', tls: true}]});
  const bytes = capturedPackets(capture(page, own, own.seed, 0));
  const parts = [...bytes.keys()].map(row => decodePacket(bytes, row));
  expect(parts.flat().flatMap(allFaults)).toEqual([]);
  const names = parts.map(([, , ...content]) => content.flatMap(allParts).map(({name}) => name));
  expect(names[0]).toEqual(['DTLS record, handshake', 'ClientHello']);
  expect(names[1]).toEqual(['DTLS record, handshake', 'ClientHello']);
  const all = new Set(names.flat());
  for (const name of ['ServerHello', 'Certificate', 'Finished', 'DTLS record, ack', 'INIT', 'COOKIE ECHO', 'DATA'])
    expect([...all]).toContain(name);
  // the first request is sent together with COOKIE ECHO (RFC 9260 §5.1)
  expect(names.find(each => each.includes('COOKIE ECHO'))).toContain('DATA');
});

test('a STREAM frame has the same offset and length as in the trace', () => {
  const own = parsed({...DOCUMENT, panes: [{pipeline: 'h3'}]});
  const [data] = load(page, own, own.seed).panes;
  const bytes = capturedPackets(capture(page, own, own.seed, 0));
  const {chunks} = data ?? traceOf(0).data;
  let frames = 0;
  for (const row of bytes.keys()) {
    const streams = decodePacket(bytes, row)
      .flatMap(allParts)
      .filter(({name}) => name.startsWith('STREAM,'))
      .map(part => ['Stream ID', 'Offset', 'Length'].map(name => Number.parseInt(textOf(part, name) ?? '', 10)))
      .filter(([, , length]) => length !== 0);
    const rows = rowsOf(chunks.packet, row);
    expect(streams).toEqual(rows.map(chunk => [chunks.stream[chunk], chunks.first[chunk], chunks.bytes[chunk]]));
    frames += streams.length;
  }
  expect(frames).toBeGreaterThan(60);
});

test('rows and panes after the last are refused', () => {
  const rows = traceOf(0).data.packets.sentNs.length;
  expect(packetParts(page, scenario, 0, rows - 1)?.[0]?.name).toBe('IPv4');
  expect(packetParts(page, scenario, 0, rows)).toBeUndefined();
  expect(() => packetParts(page, scenario, 2, 0)).toThrow('invalid pane: 2 (there are 2)');
});

function segmentData(tcp: Part | undefined) {
  const bytes = Number.parseInt(textOf(tcp, 'data') ?? '0', 10);
  return bytes === 0 ? [] : [{number: Number(textOf(tcp, 'sequence number')), bytes}];
}

function chunksData(sctp: Part | undefined) {
  return (sctp?.parts ?? [])
    .filter(({name}) => name === 'DATA')
    .map(part => ({
      number: Number(textOf(part, 'TSN')),
      bytes: Number.parseInt(textOf(part, 'data') ?? '', 10),
    }));
}

function textOf(part: Part | undefined, name: string): string | undefined {
  return part?.fields.find(field => field.name === name)?.text;
}

function allFaults(part: Part | undefined): readonly string[] {
  if (part === undefined) return [];
  return [...(part.fault === undefined ? [] : [part.fault]), ...part.parts.flatMap(allFaults)];
}

function allParts(part: Part): readonly Part[] {
  return [part, ...part.parts.flatMap(allParts)];
}

/** Returns the name of the object that a part's name contains. Empty if there is none. */
function objectNames(name: string): readonly string[] {
  const request = /^request for (.+)$/.exec(name)?.[1];
  const told = /\((.+)\)$/.exec(name)?.[1] ?? request;
  return told === undefined ? [] : [told];
}

function traceOf(pane: number): Trace {
  const trace = traces[pane];
  if (trace === undefined) throw new Error(`no pane ${pane}`);
  return trace;
}

function parsed(document: object): Scenario {
  const result = parseScenario(document);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.scenario;
}
