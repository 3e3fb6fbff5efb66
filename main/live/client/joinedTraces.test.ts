import {expect, test} from 'vitest';
import {TcpConnection} from '../../../native/addon/index.js';
import {joinBlocked, joinChunks, joinPackets, joinSamples} from './joinedTraces.ts';

const tcp = {profile: 'modern'} as const;
const record = {packets: true, samples: true};

/** Returns a connected client that has received three segments from its server. The second segment arrived last. */
function client(seed: number, startNs: number): TcpConnection {
  const ports = {port: 40_000, peerPort: 80, mtuBytes: 1492};
  const own = new TcpConnection({...ports, role: 'client', tcp, seed, record});
  const peer = new TcpConnection({...ports, port: 80, peerPort: 40_000, role: 'server', tcp, seed});
  own.connect();
  for (const syn of own.pollTransmit(startNs)) peer.handlePacket(syn, startNs + 1e6);
  for (const answer of peer.pollTransmit(startNs + 1e6)) own.handlePacket(answer, startNs + 2e6);
  for (const ack of own.pollTransmit(startNs + 2e6)) peer.handlePacket(ack, startNs + 3e6);
  peer.write(new Uint8Array(4000));
  const [first, second, third] = peer.pollTransmit(startNs + 3e6);
  for (const [at, segment] of [first, third, second].entries())
    own.handlePacket(segment ?? new Uint8Array(), startNs + (4 + 2 * at) * 1e6);
  own.pollTransmit(startNs + 9e6);
  return own;
}

test('traces of several connections are joined in order of time, with different endpoint numbers', () => {
  const parts = [
    {client: 0, trace: client(1, 0)},
    {client: 2, trace: client(2, 1e6)},
  ];
  const [a, b] = parts.map(({trace}) => trace);
  if (a === undefined || b === undefined) throw new Error('no parts');
  const packets = joinPackets(parts);
  const chunks = joinChunks(parts);
  expect(packets.sentNs).toEqual(packets.sentNs.toSorted());
  for (const [part, {trace}] of parts.entries()) {
    const rows = [...packets.endpoint.keys()].filter(row => (packets.endpoint[row] ?? 0) >> 1 === part);
    const of = <T>(column: ArrayLike<T>) => rows.map(row => column[row]);
    const own = trace.packets();
    expect(of(packets.endpoint)).toEqual(Array.from(own.endpoint, end => end + 2 * part));
    for (const name of ['direction', 'bytes', 'sentNs', 'fate', 'fateNs', 'kind', 'cumulativeAck'] as const)
      expect(of(packets[name])).toEqual([...own[name]]);
    const data = [...chunks.packet.keys()].filter(row => rows.includes(chunks.packet[row] ?? 0));
    const ownChunks = trace.chunks();
    expect(data.map(row => rows.indexOf(chunks.packet[row] ?? 0))).toEqual([...ownChunks.packet]);
    for (const name of ['first', 'bytes', 'stream', 'message', 'retransmission'] as const)
      expect(data.map(row => chunks[name][row])).toEqual([...ownChunks[name]]);
  }
  expect(chunks.packet).toEqual(chunks.packet.toSorted());
  const samples = joinSamples(parts);
  expect(samples.atNs).toEqual(samples.atNs.toSorted());
  expect(samples.cwndBytes.length).toBe(a.samples().cwndBytes.length + b.samples().cwndBytes.length);
  expect(new Set(samples.endpoint)).toEqual(new Set([0, 2]));
  const blocked = joinBlocked(parts);
  expect([...blocked.endpoint]).toEqual([0, 2]);
  expect([...blocked.startNs]).toEqual([6e6, 7e6]);
  expect([...blocked.endNs]).toEqual([8e6, 9e6]);
});
