import {firstAbove} from '../../base/order.ts';
import type {SentPiece} from './arrivals.ts';
import type {QuicDatagram, QuicPacket} from './quicPackets.ts';

/**
 * Returns the STREAM frames that the server sent, with the times at which their packets were first acknowledged, in
 * order of these times. At the server, only the acknowledgement shows that a packet has arrived. Frames of packets that
 * nothing acknowledged are left out. `datagrams` must be in order of time.
 */
export function acknowledgedPieces(datagrams: readonly QuicDatagram[]): readonly SentPiece[] {
  const sent = inOrder(datagrams);
  const numbers = sent.map(({number}) => number ?? 0);
  /**
   * For each packet that is not acknowledged yet, its own index. For each acknowledged packet, the index of a later
   * packet. A search follows these indices to the first packet that is not acknowledged yet.
   */
  const next = Array.from({length: sent.length + 1}, (_, i) => i);
  const pieces: SentPiece[] = [];
  for (const {atNs, direction, packets} of datagrams) {
    if (direction !== 'up') continue;
    for (const [first, last] of acknowledgedIn(packets)) {
      for (let i = openFrom(next, firstAbove(numbers, first - 1)); (numbers[i] ?? Number.NaN) <= last; ) {
        for (const frame of sent[i]?.frames ?? []) if (frame.kind === 'stream') pieces.push({...frame, atNs});
        next[i] = i + 1;
        i = openFrom(next, i + 1);
      }
    }
  }
  return pieces;
}

/** Returns the packets that the server sent and that may have STREAM frames, in the order of their numbers. */
function inOrder(datagrams: readonly QuicDatagram[]): readonly QuicPacket[] {
  return datagrams
    .filter(({direction}) => direction === 'down')
    .flatMap(({packets}) => packets)
    .filter(({space, number}) => space === 'application' && number !== null)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
}

function acknowledgedIn(packets: readonly QuicPacket[]): readonly (readonly [first: number, last: number])[] {
  const frames = packets.filter(({space}) => space === 'application').flatMap(packet => packet.frames);
  return frames.flatMap(frame => (frame.kind === 'ack' ? frame.ranges : []));
}

/** Returns the index of the first packet from `i` on that is not acknowledged yet. Shortens later searches. */
function openFrom(next: number[], i: number): number {
  let at = i;
  while (next[at] !== at) {
    const after = next[at] ?? at;
    next[at] = next[after] ?? after;
    at = next[at] ?? after;
  }
  return at;
}
