import {CONNECTION_ID_BYTES} from '../../run/packets/quicPacketParts.ts';
import {wholeNumber} from '../../run/packets/quicParts.ts';
import {readQuicHeader} from './quicHeader.ts';
import {TAG_BYTES} from './quicKeys.ts';
import type {OpenedPacket} from './quicOpener.ts';

/** Reads QUIC packets in captures of this program. They are not protected; see `QUIC_COMMENT` in `capture.rs`. */
export class PlainOpener {
  readonly #next = new Map<string, number>();

  segmentsOf(datagram: Uint8Array): readonly Uint8Array[] {
    return [datagram];
  }

  open(datagram: Uint8Array, direction: 'down' | 'up'): readonly OpenedPacket[] {
    const packets: OpenedPacket[] = [];
    for (let at = 0; at < datagram.length; ) {
      const header = readQuicHeader(datagram, at);
      if (header === undefined) break;
      const {type, end} = header;
      packets.push({type, ...this.#read(datagram, at, header, direction)});
      at = end;
    }
    return packets;
  }

  #read(
    datagram: Uint8Array,
    at: number,
    header: Exclude<ReturnType<typeof readQuicHeader>, undefined>,
    direction: 'down' | 'up',
  ): Pick<OpenedPacket, 'number' | 'payload'> {
    if (header.type === 'Retry' || header.type === 'Version Negotiation') return {number: null, payload: null};
    const numberAt = header.type === '1-RTT' ? at + 1 + CONNECTION_ID_BYTES : header.numberAt;
    const plain = readPlain(datagram, at, {numberAt, end: header.end});
    if (plain === undefined) return {number: null, payload: null};
    const isEarly = header.type === '0-RTT' || header.type === '1-RTT';
    const space = `${direction} ${isEarly ? 'application' : header.type}`;
    const number = wholeNumber(this.#next.get(space) ?? 0, plain.truncated, plain.numberBytes);
    this.#next.set(space, number + 1);
    return {number, payload: plain.payload};
  }
}

/** Reads a packet that is not protected. Undefined if it is cut short. */
function readPlain(
  datagram: Uint8Array,
  at: number,
  {numberAt, end}: {readonly numberAt: number; readonly end: number},
): {readonly truncated: number; readonly numberBytes: number; readonly payload: Uint8Array} | undefined {
  const numberBytes = ((datagram[at] ?? 0) & 3) + 1;
  const from = numberAt + numberBytes;
  if (from + TAG_BYTES > end) return undefined;
  const truncated = datagram.subarray(numberAt, from).reduce((number, byte) => number * 256 + byte, 0);
  return {truncated, numberBytes, payload: datagram.subarray(from, end - TAG_BYTES)};
}
