import {decodeMessage, messageNames, messageOf} from './c03Parts.ts';
import {type Flow, flowOf} from './flow.ts';
import {ByteReader, type Part} from './part.ts';
import {decodeQuic, isQuic} from './quicParts.ts';
import {decodeSctp} from './sctpParts.ts';
import {decodeContent, tcpSlice} from './tcpContentParts.ts';
import {decodeIpv4, decodeTcp, decodeUdp} from './tcpIpParts.ts';

/**
 * Decodes packet `at` of a run, layer by layer, outermost first. It needs all packets in the order of sending, because
 * data continue from one packet to the next and a stream is named after its request. It never throws: truncated or
 * unknown parts state what is wrong.
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
  /** Decodes the layer's data. */
  readonly content: (flow: Flow) => readonly Part[];
}

function tcpContent({own, at, peer}: Flow): readonly Part[] {
  const slice = tcpSlice(own, at);
  // Earlier data were not recorded.
  if (slice.to > slice.stream.length) return [];
  return decodeContent(slice, tcpSlice(peer, 0).stream);
}

function udpContent({own, at, peer}: Flow): readonly Part[] {
  if (isQuic(own) || isQuic(peer)) return decodeQuic(own, at, peer);
  const chosen = own[at];
  if (chosen === undefined) return [];
  return decodeMessage(messageOf(chosen), messageNames([...own, ...peer].map(messageOf)));
}

/** By Internet protocol number. */
const TRANSPORTS: ReadonlyMap<number, Layer> = new Map([
  [6, {decode: decodeTcp, content: tcpContent}],
  [17, {decode: decodeUdp, content: udpContent}],
  [132, {decode: decodeSctp, content: () => []}],
]);
