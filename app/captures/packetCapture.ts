import {countText} from '../base/text.ts';
import type {CaptureCrypto, CapturedLoad, ReadCapture} from './capturedLoad.ts';
import {type DtlsFlow, dtlsFlow} from './dtlsFlow.ts';
import {type LoadPipe, readFramesParts} from './framesPart.ts';
import {type IpPacket, PROTOCOL, readIpPacket} from './ipPacket.ts';
import {beginNs, joinParts} from './joinParts.ts';
import type {KeyLog} from './keyLog.ts';
import {pageLoads} from './pageLoads.ts';
import {readQuicConnection} from './quic/readQuicConnection.ts';
import type {ConnectionPart, RecordedPacket, UdpDatagram} from './recordedPacket.ts';
import {type SctpFlow, sctpFlows} from './sctpFlow.ts';
import {readSctpPacket} from './sctpPacket.ts';
import {readSctpPart} from './sctpPart.ts';
import {sideOf, type TcpFlow, tcpFlows} from './tcpFlow.ts';
import {readTcpPart, type TcpPart} from './tcpPart.ts';
import {readTcpSegment} from './tcpSegment.ts';
import {lateQuicFlows, type UdpFlow, udpFlows} from './udpFlows.ts';
import {datagramGaps, handshakeGaps, recordingEnd, vantageOf} from './vantage.ts';

/**
 * Reads the page loads in a capture of packets. HTTP/1.1 and HTTP/2 over TCP, and HTTP/3 over QUIC, are read if they
 * are not encrypted or if the key log has their secrets of TLS 1.3. HTTP over SCTP is read in the form in which this
 * program sends it. SCTP over DTLS and HTTP in bare datagrams are read only in captures of this program. The packets
 * must be in order of time.
 */
export function readPacketCapture(
  packets: readonly RecordedPacket[],
  keys: KeyLog,
  crypto: CaptureCrypto,
): ReadCapture {
  const ipPackets = packets.flatMap(packet => readIpPacket(packet) ?? []);
  const clients = clientsOf(ipPackets);
  // if both ends are on one host, packets take no time to arrive, so the capture is read like one at the client
  const isLocal = ipPackets.every(({from, to}) => from === to);
  const lateQuic = lateQuicNotes(ipPackets);
  if (clients.length === 0 && lateQuic.length === 0)
    return {ok: false, message: 'the capture has no connection over TCP, QUIC or SCTP'};
  const isCut = ipPackets.some(({payload, payloadBytes}) => payload.length < payloadBytes);
  const bodies = new DecodedBodies(crypto);
  const read = clients.map(client => readClient(client, {isCut, isLocal}, keys, bodies.crypto));
  const loads = read.flatMap(({loads}) => loads).sort((a, b) => a.startNs - b.startNs);
  const [first, ...others] = loads.map(({load}) => ({...load, notes: [...load.notes, ...bodies.notes]}));
  if (first !== undefined) return {ok: true, loads: [first, ...others]};
  const notes = new Set([...read.flatMap(({notes}) => notes), ...lateQuic]);
  const why = [...notes].slice(0, MOST_REASONS).join(' ');
  return {ok: false, message: `the capture has no request of HTTP that can be read. ${why}`.trim()};
}

/** Limits the total size of those bodies of one file from which a content coding is removed. */
class DecodedBodies {
  readonly crypto: CaptureCrypto;
  #room = MOST_DECODED_BYTES;
  #isFull = false;

  constructor(crypto: CaptureCrypto) {
    this.crypto = {...crypto, decode: (...coded) => this.#kept(() => crypto.decode(...coded))};
  }

  /** One sentence that says that bodies were left out. Empty if none was. */
  get notes(): readonly string[] {
    return this.#isFull
      ? [`The decoded bodies of this file exceed ${MOST_DECODED_BYTES} bytes together, so some were left out.`]
      : [];
  }

  #kept(decode: () => Uint8Array | undefined): Uint8Array | undefined {
    const decoded = this.#isFull ? undefined : decode();
    if (decoded === undefined) return undefined;
    this.#isFull = decoded.length > this.#room;
    if (this.#isFull) return undefined;
    this.#room -= decoded.length;
    return decoded;
  }
}

/** The most sentences that say why a capture cannot be read. A capture of many clients could have many. */
const MOST_REASONS = 6;
const MOST_DECODED_BYTES = 256 * 2 ** 20;

/** The connections that one client opened. */
interface Client {
  /** Whether this program wrote the capture. */
  readonly isOwn: boolean;
  readonly tcp: TcpFlow[];
  readonly sctp: SctpFlow[];
  readonly udp: UdpFlow[];
}

/** Groups the connections by the clients that opened them. */
function clientsOf(packets: readonly IpPacket[]): readonly Client[] {
  const clients = new Map<string, Client>();
  const [first] = packets;
  // in this program's own captures there is one client, which has another address after a hand-over
  const isOwn = first !== undefined && sideOf(first.recorded) !== undefined;
  const clientAt = (address: string): Client => {
    const client = clients.get(isOwn ? '' : address) ?? {isOwn, tcp: [], sctp: [], udp: []};
    clients.set(isOwn ? '' : address, client);
    return client;
  };
  const of = (protocol: number): readonly IpPacket[] => packets.filter(packet => packet.protocol === protocol);
  for (const flow of tcpFlows(of(PROTOCOL.tcp).flatMap(ip => readTcpSegment(ip) ?? [])))
    clientAt(flow.client).tcp.push(flow);
  for (const flow of sctpFlows(of(PROTOCOL.sctp).flatMap(ip => readSctpPacket(ip) ?? [])))
    clientAt(flow.client).sctp.push(flow);
  for (const flow of udpFlows(of(PROTOCOL.udp))) clientAt(flow.client).udp.push(flow);
  return [...clients.values()];
}

type Part = ConnectionPart & {readonly pipeline: CapturedLoad['pipeline']};

/** Reads a client's connections. Loads without any exchange are left out. */
function readClient(
  client: Client,
  {isCut, isLocal}: {readonly isCut: boolean; readonly isLocal: boolean},
  keys: KeyLog,
  crypto: CaptureCrypto,
): {
  readonly loads: readonly {readonly startNs: number; readonly load: CapturedLoad}[];
  readonly notes: readonly string[];
} {
  const gaps = [...client.tcp.map(handshakeGaps), ...client.udp.map(({datagrams}) => datagramGaps(datagrams))];
  const {seenAt, note} = vantageOf({
    handshakes: isLocal ? [] : gaps,
    host: isLocal ? undefined : recordingEnd(packetsOf(client)),
    isOwn: client.isOwn,
  });
  const tcp = client.tcp.map(flow => readTcpPart(flow, seenAt, keys, crypto));
  const udp = (protocol: UdpFlow['protocol']): readonly UdpFlow[] =>
    client.udp.filter(flow => flow.protocol === protocol);
  const dtls = udp('dtls').map(({client, datagrams}) => dtlsFlow(client, datagrams));
  const frames = client.isOwn ? framesParts(client, tcp, crypto) : [];
  const parts: Part[] = [
    ...tcp
      .filter(({pipe}) => pipe === undefined || frames.length === 0)
      .map((part): Part => ({...part, pipeline: part.http === 'h2' ? 'h2' : 'tcp'})),
    ...frames,
    ...[...client.sctp, ...dtls].map((flow): Part => ({...readSctpPart(flow, seenAt, crypto), pipeline: 'sctp'})),
    ...udp('quic').map(
      ({datagrams}): Part => ({...readQuicConnection(datagrams, keys, crypto, seenAt), pipeline: 'h3'}),
    ),
  ];
  const notes = [...(note === undefined ? [] : [note]), ...notesOn(tcp, dtls, isCut)];
  if (!client.isOwn && udp('frames').length > 0) notes.push(FRAMES_NOTE);
  const unread = parts.filter(({exchanges}) => exchanges.length === 0).flatMap(part => part.notes);
  // this program writes one load into a file
  const loads = (client.isOwn ? [parts] : pageLoads(parts)).flatMap(load => {
    if (load.every(({exchanges}) => exchanges.length === 0)) return [];
    const frame = {kind: 'pcap', pipeline: pipelineOf(load), seenAt, notes} as const;
    const startNs = load.reduce((least, part) => Math.min(least, beginNs(part)), Number.POSITIVE_INFINITY);
    return [{startNs, load: joinParts(load, frame)}];
  });
  return {loads, notes: [...notes, ...unread]};
}

/** Yields the packets of a client's connections. */
function* packetsOf({tcp, sctp, udp}: Client): Generator<Pick<UdpDatagram, 'direction' | 'packet'>> {
  for (const {segments} of tcp)
    for (const {direction, segment} of segments) yield {direction, packet: segment.ip.recorded};
  for (const {packets} of sctp) for (const {direction, recorded} of packets) yield {direction, packet: recorded};
  for (const {datagrams} of udp) yield* datagrams;
}

/** Reads HTTP in bare datagrams, with the TCP connections that belong to it. */
function framesParts({udp, tcp}: Client, parts: readonly TcpPart[], crypto: CaptureCrypto): readonly Part[] {
  const flows = udp.filter(({protocol}) => protocol === 'frames');
  const pipes = (client: string): readonly LoadPipe[] =>
    parts.flatMap((part, i) => {
      const {pipe} = part;
      return pipe === undefined ? [] : [{part, pipe, isClients: tcp[i]?.client === client}];
    });
  // a load has one flow of datagrams, to which all TCP connections belong
  return flows.flatMap(({client, datagrams}, i) => readFramesParts(datagrams, i === 0 ? pipes(client) : [], crypto));
}

/** The pipeline that carried most requests. */
function pipelineOf(parts: readonly Part[]): CapturedLoad['pipeline'] {
  const requests = new Map<CapturedLoad['pipeline'], number>();
  for (const {pipeline, exchanges} of parts) requests.set(pipeline, (requests.get(pipeline) ?? 0) + exchanges.length);
  const [[most] = ['tcp' as const]] = [...requests].sort(([, a], [, b]) => b - a);
  return most;
}

const FRAMES_NOTE =
  'HTTP in bare datagrams can be read only in pcapng files with the interfaces and comments that this program writes.';

function connectionsText(count: number): string {
  return count === 1 ? 'one connection' : `${countText(count)} connections`;
}

/** A sentence about connections that may be QUIC, but whose handshake is not in the capture. Empty if there is none. */
function lateQuicNotes(packets: readonly IpPacket[]): readonly string[] {
  const count = lateQuicFlows(packets.filter(({protocol}) => protocol === PROTOCOL.udp));
  if (count === 0) return [];
  return [`The contents of ${connectionsText(count)} over UDP, probably QUIC, ${LACKS_BEGINNING}`];
}

const LACKS_BEGINNING = 'cannot be read because the capture lacks the beginning.';

/** Returns what could not be read of connections over TCP and DTLS, as sentences. */
function notesOn(parts: readonly TcpPart[], dtls: readonly DtlsFlow[], isCut: boolean): readonly string[] {
  const notes: string[] = [];
  const note = (count: number, sentence: (connections: string) => string): void => {
    if (count > 0) notes.push(sentence(connectionsText(count)));
  };
  const countOf = (problem: TcpPart['problem']): number => parts.filter(part => part.problem === problem).length;
  note(
    countOf('keys'),
    of => `The contents of ${of} are encrypted, and no key log (SSLKEYLOGFILE, --keys) has their secrets.`,
  );
  note(
    countOf('hello'),
    of => `The contents of ${of} cannot be read because the capture lacks a part of the TLS handshake.`,
  );
  note(countOf('version'), of => `The contents of ${of} cannot be read because they use a TLS version before 1.3.`);
  note(countOf('suite'), of => `The contents of ${of} cannot be read because their cipher suite is not known.`);
  note(countOf('damaged'), of => `A part of the contents of ${of} cannot be decrypted.`);
  note(
    parts.filter(({hasGap}) => hasGap).length,
    of => `The capture lacks packets of ${of}, so what follows them was not read.`,
  );
  const late = parts.filter(({lacksBeginning}) => lacksBeginning);
  note(late.filter(({http}) => http === null).length, of => `The contents of ${of} ${LACKS_BEGINNING}`);
  note(
    late.filter(({http}) => http !== null).length,
    of => `The capture lacks the beginning of ${of}, so requests and responses may be missing.`,
  );
  note(
    dtls.filter(({isEncrypted}) => isEncrypted).length,
    of => `The contents of ${of} over DTLS are encrypted, and DTLS can be read only in captures of this program.`,
  );
  const large = parts.reduce((sum, {largePackets}) => sum + largePackets, 0);
  const packets = large === 1 ? 'One packet is' : `${large} packets are`;
  if (large > 0)
    notes.push(
      `${packets} larger than the path allows, because the host had joined packets that it received, or had not yet ` +
        'divided packets that it sent (segmentation offload). So the capture has fewer packets than the wire had.',
    );
  if (isCut) notes.push('The file has only the beginning of some packets, so the rest of them was not read.');
  return notes;
}
