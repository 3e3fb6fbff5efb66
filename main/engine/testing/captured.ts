import {FATE} from '../../../app/run/trace/columns.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';

// These functions read the packets of a run from its capture file, without the program's own parsers. From these
// packets, a test computes what followed each loss, and compares the result with what the program says.

/**
 * A packet on the wire. For TCP, units are bytes of the sender's stream. For SCTP, units are TSNs. Both are counted
 * from 0.
 */
export interface WirePacket {
  readonly fromServer: boolean;
  readonly sentNs: number;
  /**
   * The time at which the packet arrived, or Infinity if it did not arrive. It comes from the trace, because a capture
   * has only the times of sending.
   */
  readonly cameNs: number;
  readonly isLost: boolean;
  readonly data: readonly Range[];
  /**
   * The cumulative acknowledgement, which is the first unit that this packet's sender has not received. Null if the
   * packet acknowledges nothing.
   */
  readonly cumulative: number | null;
  /** Ranges of units after `cumulative` that have arrived. `to` is the first unit after the range. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
}

/** Units of one stream and one object. `to` is the first unit after them. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly stream: number;
  readonly object: number;
}

/** Reads the packets of a pane's capture file (pcapng). Their fates and objects are from the pane's trace. */
export function readCapture(file: Uint8Array, trace: Trace): readonly WirePacket[] {
  const {packets} = trace.data;
  /** For each direction, the sequence number of the sender's first byte (TCP) or the sender's first TSN (SCTP). */
  const firsts: [down: number, up: number] = [0, 0];
  return Array.from(blocks(file), ({direction, sentNs, ip}, row) => {
    const at = 4 * (ip.getUint8(0) & 15);
    const isTcp = ip.getUint8(9) === TCP;
    const read = isTcp ? readSegment(ip, at, direction, firsts) : readChunks(ip, at, direction, firsts);
    const comes = packets.fate[row] === FATE.delivered;
    return {
      fromServer: direction === DOWN,
      sentNs,
      cameNs: comes ? (packets.fateNs[row] ?? 0) : Number.POSITIVE_INFINITY,
      isLost: packets.fate[row] === FATE.lost || packets.fate[row] === FATE.queueFull,
      data: split(read.units, objectsOf(trace, row, isTcp ? 'bytes' : 'chunks')),
      cumulative: read.cumulative,
      gaps: read.gaps,
    };
  });
}

interface Content {
  readonly units: readonly {readonly from: number; readonly to: number; readonly stream: number}[];
  readonly cumulative: number | null;
  readonly gaps: readonly (readonly [number, number])[];
}

const DOWN = 0;
const TCP = 6;

/** Reads enhanced packet blocks (draft-ietf-opsawg-pcapng §4.3), which are little-endian with times in ns. */
function* blocks(file: Uint8Array) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < file.length; at += view.getUint32(at + 4, true)) {
    if (view.getUint32(at, true) !== 6) continue;
    yield {
      direction: view.getUint32(at + 8, true),
      sentNs: view.getUint32(at + 12, true) * 2 ** 32 + view.getUint32(at + 16, true),
      ip: new DataView(file.buffer, file.byteOffset + at + 28, view.getUint32(at + 20, true)),
    };
  }
}

/** Reads a TCP segment (RFC 9293 §3.1) and its SACK blocks (RFC 2018 §3). */
function readSegment(ip: DataView, at: number, direction: number, firsts: [number, number]): Content {
  const [sequence, acknowledged] = [ip.getUint32(at + 4), ip.getUint32(at + 8)];
  const [header, flags] = [(ip.getUint8(at + 12) >> 4) * 4, ip.getUint8(at + 13)];
  if ((flags & 2) !== 0) firsts[direction] = sequence + 1;
  const own = (sequence - (firsts[direction] ?? 0)) >>> 0;
  const peers = (number: number): number => (number - (firsts[1 - direction] ?? 0)) >>> 0;
  const gaps: [number, number][] = [];
  for (let option = at + 20; option < at + header; ) {
    const kind = ip.getUint8(option);
    const length = kind <= 1 ? 1 : ip.getUint8(option + 1);
    for (let block = option + 2; kind === 5 && block < option + length; block += 8) {
      gaps.push([peers(ip.getUint32(block)), peers(ip.getUint32(block + 4))]);
    }
    option += length;
  }
  const size = ip.getUint16(2) - at - header;
  return {
    units: size === 0 ? [] : [{from: own, to: own + size, stream: 0}],
    cumulative: (flags & 16) === 0 ? null : peers(acknowledged),
    gaps,
  };
}

/**
 * Reads the chunks DATA, INIT, INIT ACK and SACK (RFC 9260 §3.3), and I-DATA, which begins like DATA (RFC 8260 §2.1).
 */
function readChunks(ip: DataView, at: number, direction: number, firsts: [number, number]): Content {
  const units: {from: number; to: number; stream: number}[] = [];
  const gaps: [number, number][] = [];
  let cumulative: number | null = null;
  const end = ip.getUint16(2);
  for (let chunk = at + 12; chunk + 4 <= end; chunk += Math.ceil(ip.getUint16(chunk + 2) / 4) * 4) {
    const type = ip.getUint8(chunk);
    const value = chunk + 4;
    if (type === 1 || type === 2) firsts[direction] = ip.getUint32(value + 12);
    if (type === 0 || type === 64) {
      const number = (ip.getUint32(value) - (firsts[direction] ?? 0)) >>> 0;
      units.push({from: number, to: number + 1, stream: ip.getUint16(value + 4)});
    }
    if (type !== 3) continue;
    const wanted = (ip.getUint32(value) - (firsts[1 - direction] ?? 0) + 1) >>> 0;
    cumulative = wanted;
    for (let gap = 0; gap < ip.getUint16(value + 8); gap++) {
      const [from, to] = [ip.getUint16(value + 12 + 4 * gap), ip.getUint16(value + 14 + 4 * gap)];
      gaps.push([wanted - 1 + from, wanted + to]);
    }
  }
  return {units, cumulative, gaps};
}

/**
 * Cuts the units of a packet into ranges that each belong to one object. `objects` lists the objects of the packet in
 * order. `count` is how many of the packet's units belong to the object.
 */
function split(
  units: Content['units'],
  objects: readonly {readonly object: number; readonly count: number}[],
): readonly Range[] {
  const ranges: Range[] = [];
  const left = [...objects];
  for (const {from, to, stream} of units) {
    for (let at = from; at < to; ) {
      const {object, count} = left.shift() ?? {object: 0, count: to - at};
      const end = Math.min(to, at + count);
      ranges.push({from: at, to: end, stream, object});
      at = end;
    }
  }
  return ranges;
}

/**
 * Returns the objects of a packet's data in order. With 'bytes' the count is a number of bytes. With 'chunks' each
 * chunk counts as one unit.
 */
function objectsOf({data}: Trace, packet: number, of: 'bytes' | 'chunks') {
  const {chunks, chunkPieces} = data;
  return Array.from(chunkPieces.row.entries())
    .filter(([, chunk]) => chunks.packet[chunk] === packet)
    .map(([piece]) => ({
      object: chunkPieces.object[piece] ?? 0,
      count: of === 'bytes' ? (chunkPieces.bytes[piece] ?? 0) : 1,
    }));
}
