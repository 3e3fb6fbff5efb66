import {createHash} from 'node:crypto';

/** Draws of a seed: whole numbers from 0, below a limit. */
export type Draw = (limit: number) => number;

/** The same for the same seed, in any process. */
export function drawsOf(seed: number): Draw {
  let [block, at, number] = [Buffer.alloc(0), 0, 0];
  return limit => {
    if (at === block.length) {
      block = createHash('sha256').update(`${seed} ${number++}`).digest();
      at = 0;
    }
    at += 4;
    return Math.floor((block.readUInt32BE(at - 4) / 2 ** 32) * limit);
  };
}

/** A copy of a packet, wrong in one to three places. `others` are what parts of it may be replaced by. */
export function mutantOf(packet: Uint8Array, others: readonly Uint8Array[], draw: Draw): Uint8Array {
  // a Buffer's slice() would be no copy
  let mutant: Uint8Array = new Uint8Array(packet);
  for (let left = 1 + draw(3); left > 0; left--) {
    const change = CHANGES[draw(CHANGES.length)];
    mutant = change?.(mutant, others[draw(others.length)] ?? packet, draw) ?? mutant;
  }
  return mutant;
}

type Change = (packet: Uint8Array, other: Uint8Array, draw: Draw) => Uint8Array;

const CHANGES: readonly Change[] = [
  // a bit
  (packet, _, draw) => withByte(packet, draw, byte => byte ^ (1 << draw(8))),
  // a byte, of those that limits are made of
  (packet, _, draw) => withByte(packet, draw, () => [0, 1, 0x7f, 0x80, 0xfe, 0xff][draw(6)] ?? 0),
  // two bytes, where they may be a length
  (packet, _, draw) => {
    const at = 2 * draw(Math.max(1, packet.length >> 1));
    const [high = 0, low = 0] = [[0], [0, 1], [0, 3], [0, 4], [0xff, 0xff], [0x80]][draw(6)] ?? [];
    return withBytes(packet, at, [high, low]);
  },
  // cut off
  packet => packet.subarray(0, packet.length - 1),
  (packet, _, draw) => packet.subarray(0, draw(packet.length + 1)),
  // more behind it
  (packet, other) => joined(packet, other.subarray(12)),
  (packet, _, draw) => joined(packet, new Uint8Array(draw(64))),
  // a part of another
  (packet, other, draw) => {
    const at = draw(packet.length + 1);
    return joined(packet.subarray(0, at), other.subarray(Math.min(at, other.length)));
  },
  // a part twice
  (packet, _, draw) => {
    const [from, to] = [draw(packet.length + 1), draw(packet.length + 1)];
    return joined(packet.subarray(0, Math.max(from, to)), packet.subarray(Math.min(from, to)));
  },
];

function withByte(packet: Uint8Array, draw: Draw, changed: (byte: number) => number): Uint8Array {
  const at = draw(Math.max(1, packet.length));
  return withBytes(packet, at, [changed(packet[at] ?? 0)]);
}

function withBytes(packet: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const made = new Uint8Array(packet);
  for (const [index, byte] of bytes.entries()) if (at + index < made.length) made[at + index] = byte;
  return made;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts).subarray(0, MOST_BYTES));
}

/** Of a UDP datagram. */
const MOST_BYTES = 65_507;
