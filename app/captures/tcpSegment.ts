import type {IpPacket} from './ipPacket.ts';
import {numberAt} from './numbers.ts';

/** A TCP segment (RFC 9293 §3.1). */
export interface TcpSegment {
  readonly ip: IpPacket;
  readonly fromPort: number;
  readonly toPort: number;
  readonly sequence: number;
  /** Undefined if the segment acknowledges nothing. */
  readonly acknowledgment: number | undefined;
  readonly isSyn: boolean;
  readonly isFin: boolean;
  readonly isReset: boolean;
  /** The data. The file may have only their beginning. */
  readonly data: Uint8Array;
  /** Size of the data on the wire. */
  readonly bytes: number;
  /** The maximum segment size that a SYN announces. Undefined if the option is absent. */
  readonly mss: number | undefined;
  /**
   * The ranges of sequence numbers that were received out of order (RFC 2018 §3). The first one may instead be a range
   * that was received twice (RFC 2883 §4).
   */
  readonly sacks: readonly (readonly [from: number, to: number])[];
  /** The timestamp of this segment, and the one that it echoes (RFC 7323 §3.2). Undefined if the option is absent. */
  readonly stamps: {readonly own: number; readonly echo: number} | undefined;
}

/** Reads a segment. Undefined if its header is truncated or states an invalid length. */
export function readTcpSegment(ip: IpPacket): TcpSegment | undefined {
  const {payload} = ip;
  const headerBytes = ((payload[12] ?? 0) >> 4) * 4;
  if (headerBytes < HEADER_BYTES || payload.length < headerBytes) return undefined;
  const flags = payload[13] ?? 0;
  return {
    ip,
    fromPort: numberAt(payload, 0, 2),
    toPort: numberAt(payload, 2, 2),
    sequence: numberAt(payload, 4, 4),
    acknowledgment: (flags & FLAG.ack) === 0 ? undefined : numberAt(payload, 8, 4),
    isSyn: (flags & FLAG.syn) !== 0,
    isFin: (flags & FLAG.fin) !== 0,
    isReset: (flags & FLAG.rst) !== 0,
    data: payload.subarray(headerBytes),
    bytes: Math.max(ip.payloadBytes - headerBytes, 0),
    ...readOptions(payload.subarray(HEADER_BYTES, headerBytes)),
  };
}

function readOptions(options: Uint8Array): Pick<TcpSegment, 'mss' | 'sacks' | 'stamps'> {
  let mss: number | undefined;
  let stamps: TcpSegment['stamps'];
  const sacks: (readonly [number, number])[] = [];
  for (let at = 0; at < options.length; ) {
    const kind = options[at] ?? 0;
    if (kind === OPTION.end) break;
    if (kind === OPTION.padding) {
      at += 1;
      continue;
    }
    const length = options[at + 1] ?? 0;
    if (length < 2 || at + length > options.length) break;
    if (kind === OPTION.mss && length === 4) mss = numberAt(options, at + 2, 2);
    if (kind === OPTION.timestamps && length === 10)
      stamps = {own: numberAt(options, at + 2, 4), echo: numberAt(options, at + 6, 4)};
    if (kind === OPTION.sack) {
      for (let block = at + 2; block + 8 <= at + length; block += 8)
        sacks.push([numberAt(options, block, 4), numberAt(options, block + 4, 4)]);
    }
    at += length;
  }
  return {mss, sacks, stamps};
}

const FLAG = {fin: 1, syn: 2, rst: 4, ack: 16} as const;
const OPTION = {end: 0, padding: 1, mss: 2, sack: 5, timestamps: 8} as const;
const HEADER_BYTES = 20;
