import {encodeHeaders} from '../../../http/h2/h2Frame.ts';
import {decodePacket} from '../decodePacket.ts';
import type {Part} from '../part.ts';

// For tests: functions that build packets between two ends, and functions that summarise decoded parts.

/** The numbers of the sending and the receiving end. Each is a port, and the last byte of an IP address. */
export type Side = readonly [from: number, to: number];
export type Sent = readonly [side: Side, bytes: Uint8Array];
export const UP: Side = [1, 2];
export const DOWN: Side = [2, 1];

/** The fields of a client's request in HTTP/2 and HTTP/3. */
export const GET = [
  [':method', 'GET'],
  [':path', '/pictures/river.jpg'],
] as const;

/**
 * Builds and decodes a TCP segment for each entry. `place` is the offset of the data in its stream. Returns the parts
 * of the contents of each segment, without the IP and TCP headers.
 */
export function segments(
  sent: readonly (readonly [Side, place: number, data: Uint8Array])[],
): readonly (readonly Part[])[] {
  const packets = sent.map(([side, place, data]) => segment(side, 1000 + place, data));
  return packets.map((_, at) => decodePacket(packets, at).slice(2));
}

/**
 * Builds and decodes a UDP datagram for each entry. Returns the parts of the contents of each datagram, without the IP
 * and UDP headers.
 */
export function datagrams(sent: readonly Sent[]): readonly (readonly Part[])[] {
  const packets = sent.map(([side, bytes]) => udp(side, bytes));
  return packets.map((_, at) => decodePacket(packets, at).slice(2));
}

/** Builds a TCP segment in an IP packet, without checksums. */
export function segment(side: Side, sequence: number, data: Uint8Array): Uint8Array {
  const number = [sequence >> 24, sequence >> 16, sequence >> 8, sequence];
  const header = [0, side[0], 0, side[1], ...number, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0];
  return ip(6, side, joined(Uint8Array.from(header), data));
}

/** Builds a UDP datagram in an IP packet, without checksums. */
export function udp(side: Side, bytes: Uint8Array): Uint8Array {
  return ip(17, side, joined(Uint8Array.of(0, side[0], 0, side[1], 0, 0, 0, 0), bytes));
}

function ip(protocol: number, [from, to]: Side, payload: Uint8Array): Uint8Array {
  const bytes = 20 + payload.length;
  const header = [0x45, 0, bytes >> 8, bytes, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, from, 10, 0, 0, to];
  return joined(Uint8Array.from(header), payload);
}

/** Builds a QUIC packet with a long header of this type and packet number 0. */
export function long(type: number, frames: Uint8Array): Uint8Array {
  const first = 0xc0 | ((type & 3) << 4);
  const token = (type & 3) === 0 ? [0] : [];
  const length = 1 + frames.length + 16;
  const header = [first, 0, 0, 0, 1, 2, 1, 2, 1, 3, ...token, 0x40 | (length >> 8), length & 255, 0];
  return joined(Uint8Array.from(header), frames, new Uint8Array(16));
}

/** Builds a QUIC packet with a short header and a packet number of one byte. */
export function short(number: number, frames: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(0x40, 1, 2, 3, 4, 5, 6, 7, 8, number), frames, new Uint8Array(16));
}

/** Builds a STREAM frame. */
export function stream(id: number, offset: number, data: Uint8Array, isEnd = false): Uint8Array {
  return joined(Uint8Array.of(0x0e | (isEnd ? 1 : 0), id, 0x40 | (offset >> 8), offset, 0x40, data.length), data);
}

/** Builds an HTTP/2 HEADERS frame. */
export function headers(id: number, block: Uint8Array, isEnd: boolean): Uint8Array {
  return encodeHeaders(id, block, isEnd, 16_384);
}

export function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap(piece => [...piece]));
}

/** Returns the names of the parts, indented by depth, with their faults. */
export function outline(parts: readonly Part[] | undefined, depth = 0): readonly string[] {
  return (parts ?? []).flatMap(({name, fault, parts: inner}) => [
    `${'  '.repeat(depth)}${name}${fault === undefined ? '' : ` !${fault}`}`,
    ...outline(inner, depth + 1),
  ]);
}

/** Returns the fields of a part by name. */
export function textsOf(part: Part | undefined): {readonly [name: string]: string} {
  return Object.fromEntries(part?.fields.map(({name, text}) => [name, text]) ?? []);
}

/** Returns one field of a part. */
export function textOf(part: Part | undefined, name: string): string | undefined {
  return textsOf(part)[name];
}
