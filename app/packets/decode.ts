import {decodeIpv4} from './ipv4.ts';
import {ByteReader, type Part} from './part.ts';
import {decodeSctp} from './sctp.ts';
import {decodeTcp} from './tcp.ts';
import {decodeUdp} from './udp.ts';

/** What an IPv4 packet says, layer by layer. Never throws: what is short or unknown says so. */
export function decodePacket(packet: Uint8Array): readonly Part[] {
  const bytes = new ByteReader(packet);
  const {header, protocol} = decodeIpv4(bytes);
  const decode = TRANSPORTS.get(protocol ?? -1);
  return [header, ...(decode === undefined ? [] : [decode(bytes)])];
}

/** By Internet protocol number. */
const TRANSPORTS: ReadonlyMap<number, (bytes: ByteReader) => Part> = new Map([
  [6, decodeTcp],
  [17, decodeUdp],
  [132, decodeSctp],
]);
