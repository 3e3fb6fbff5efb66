import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {rowsOf} from '../../app/order/rowsOf.ts';
import {decodePacket} from '../../app/packets/decode.ts';
import type {Part} from '../../app/packets/part.ts';
import {parseScenario, type Scenario} from '../../app/scenario/scenario.ts';
import {Trace} from '../../app/trace/trace.ts';
import {load} from './load.ts';
import {packetBytes} from './packetBytes.ts';
import {openPage} from './pages.ts';

// Packets of real runs, decoded: they say what the trace says.

const scenario = parsed({
  page: 'gallery',
  path: {rateBps: 500_000, rttMs: 100, loss: 0.05},
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
])('each packet of %s is decoded whole, with the size, data and sender that its trace has', (name, pane) => {
  const trace = traceOf(pane);
  const {packets, chunks} = trace.data;
  const rows = [...packets.sentNs.keys()].filter(
    row => row < 12 || row % 9 === 0 || trace.isRetransmission(row),
  );
  const firsts = new Map<number, number>();
  for (const row of rows) {
    const bytes = packetBytes(page, scenario, pane, row);
    if (bytes === undefined) throw new Error(`no packet ${row}`);
    const [ip, transport] = decodePacket(bytes);
    expect(bytes.length).toBe(packets.bytes[row]);
    expect([ip?.fault, transport?.fault, transport?.name]).toEqual([undefined, undefined, name]);
    expect(allFaults(transport)).toEqual([]);
    expect(textOf(ip, 'from')).toBe(packets.direction[row] === 0 ? '10.0.0.2' : '10.0.0.1');
    // numbers count from each sender's first
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

test('a datagram of in-order UDP is decoded whole, and is of its connection’s ends', () => {
  const udp = parsed({page: 'gallery', panes: [{pipeline: 'udp'}]});
  const [trace] = load(page, udp, udp.seed).panes;
  const rows = trace?.packets.sentNs.length ?? 0;
  for (const row of [0, 1, 2, Math.floor(rows / 2), rows - 1]) {
    const bytes = packetBytes(page, udp, 0, row) ?? new Uint8Array();
    const [ip, datagram] = decodePacket(bytes);
    expect([ip?.fault, datagram?.name, datagram?.fault]).toEqual([undefined, 'UDP', undefined]);
    expect(textOf(datagram, 'length')).toBe(`${bytes.length - 20} B`);
    const ports = ['from port', 'to port'].map(name => textOf(datagram, name));
    expect([...ports].sort()).toEqual(['49152', '80']);
  }
});

test('there is no packet beyond the last, and no pane beyond the last', () => {
  const rows = traceOf(0).data.packets.sentNs.length;
  expect(packetBytes(page, scenario, 0, rows - 1)).toBeInstanceOf(Uint8Array);
  expect(packetBytes(page, scenario, 0, rows)).toBeUndefined();
  expect(() => packetBytes(page, scenario, 2, 0)).toThrow('invalid pane: 2 (there are 2)');
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
