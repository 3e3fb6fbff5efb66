import {DIRECTION} from '../run/trace/columns.ts';
import type {Trace} from '../run/trace/trace.ts';

/** Bytes of its request and response that were handed to the transport and sent, each counted once. */
export interface SentBytes {
  readonly request: number;
  readonly response: number;
}

/** By object's number. Heads and what frames the body count, what was sent again does not. */
export function sentBytes({data: {objects, packets, chunks, chunkPieces}}: Trace): (object: number) => SentBytes {
  const [up, down] = [new Float64Array(objects.length), new Float64Array(objects.length)];
  for (let piece = 0; piece < chunkPieces.row.length; piece++) {
    const chunk = chunkPieces.row[piece] ?? 0;
    if (chunks.retransmission[chunk] === 1) continue;
    const isDown = packets.direction[chunks.packet[chunk] ?? 0] === DIRECTION.down;
    const [object, sum] = [chunkPieces.object[piece] ?? 0, isDown ? down : up];
    sum[object] = (sum[object] ?? 0) + (chunkPieces.bytes[piece] ?? 0);
  }
  return object => ({request: up[object] ?? 0, response: down[object] ?? 0});
}
