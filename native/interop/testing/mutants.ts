// Makes damaged copies of packets, at random from a seed.
import {createHash} from 'node:crypto';

/** Returns a random whole number that is at least 0 and less than `limit`. */
export type Draw = (limit: number) => number;

/** Creates a generator of random numbers. The same seed gives the same numbers in every process. */
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

/** Returns a copy of a packet with one to three changes. A change may insert a part of one of `others`. */
export function mutantOf(packet: Uint8Array, others: readonly Uint8Array[], draw: Draw): Uint8Array {
  // The packet may be a Buffer, whose slice() does not copy.
  let mutant: Uint8Array = new Uint8Array(packet);
  for (let left = 1 + draw(3); left > 0; left--) {
    const change = CHANGES[draw(CHANGES.length)];
    mutant = change?.(mutant, others[draw(others.length)] ?? packet, draw) ?? mutant;
  }
  return mutant;
}

type Change = (packet: Uint8Array, other: Uint8Array, draw: Draw) => Uint8Array;

const CHANGES: readonly Change[] = [
  // flip a bit
  (packet, _, draw) => withByte(packet, draw, byte => byte ^ (1 << draw(8))),
  // set a byte to a boundary value
  (packet, _, draw) => withByte(packet, draw, () => [0, 1, 0x7f, 0x80, 0xfe, 0xff][draw(6)] ?? 0),
  // set two aligned bytes, which may be a length field
  (packet, _, draw) => {
    const at = 2 * draw(Math.max(1, packet.length >> 1));
    const [high = 0, low = 0] = [[0], [0, 1], [0, 3], [0, 4], [0xff, 0xff], [0x80]][draw(6)] ?? [];
    return withBytes(packet, at, [high, low]);
  },
  // cut bytes off the end
  packet => packet.subarray(0, packet.length - 1),
  (packet, _, draw) => packet.subarray(0, draw(packet.length + 1)),
  // append bytes
  (packet, other) => joined(packet, other.subarray(12)),
  (packet, _, draw) => joined(packet, new Uint8Array(draw(64))),
  // replace the rest with the rest of another packet
  (packet, other, draw) => {
    const at = draw(packet.length + 1);
    return joined(packet.subarray(0, at), other.subarray(Math.min(at, other.length)));
  },
  // repeat a part
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

/** The largest payload of a UDP datagram over IPv4. */
const MOST_BYTES = 65_507;
