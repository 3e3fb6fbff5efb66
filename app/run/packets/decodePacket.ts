import {decodeMessage, messageNames, messageOf} from './c03Parts.ts';
import {decodeDtls, isDtls} from './dtlsParts.ts';
import {type Flow, flowOf} from './flow.ts';
import {ByteReader, type Part} from './part.ts';
import {decodeQuic, isQuic} from './quicParts.ts';
import {decodeSctp} from './sctpParts.ts';
import {decodeContent, tcpSlice} from './tcpContentParts.ts';
import {decodeIpv4, decodeTcp, decodeUdp} from './tcpIpParts.ts';

/**
 * Decodes packet `at` of a load, layer by layer, outermost first. `packets` must hold all packets of the load in the
 * order of sending, because data continue from one packet to the next, and the name of a stream is taken from its
 * request. The function never throws. A part that is truncated or invalid has a `fault`.
 */
export function decodePacket(packets: readonly Uint8Array[], at: number): readonly Part[] {
  const bytes = new ByteReader(packets[at] ?? new Uint8Array(0));
  const {header, protocol} = decodeIpv4(bytes);
  const layer = TRANSPORTS.get(protocol ?? -1);
  if (layer === undefined) return [header];
  const transport = layer.decode(bytes);
  const flow = transport.fault === undefined ? flowOf(packets, at) : undefined;
  return [header, transport, ...(flow === undefined ? [] : layer.content(flow))];
}

interface Layer {
  readonly decode: (bytes: ByteReader) => Part;
  /** Decodes the data after the transport header. */
  readonly content: (flow: Flow) => readonly Part[];
}

function tcpContent({own, at, peer}: Flow): readonly Part[] {
  const slice = tcpSlice(own, at);
  // Some earlier data of the connection were not recorded, so it is unknown where messages begin in this packet.
  if (slice.to > slice.stream.length) return [];
  return decodeContent(slice, tcpSlice(peer, 0).stream);
}

function udpContent({own, at, peer}: Flow): readonly Part[] {
  if (isQuic(own) || isQuic(peer)) return decodeQuic(own, at, peer);
  if (isDtls(own) || isDtls(peer)) return decodeDtls(own[at]);
  const chosen = own[at];
  if (chosen === undefined) return [];
  return decodeMessage(messageOf(chosen), messageNames([...own, ...peer].map(messageOf)));
}

/** The transport layers by Internet protocol number. */
const TRANSPORTS: ReadonlyMap<number, Layer> = new Map([
  [6, {decode: decodeTcp, content: tcpContent}],
  [17, {decode: decodeUdp, content: udpContent}],
  [132, {decode: decodeSctp, content: () => []}],
]);
