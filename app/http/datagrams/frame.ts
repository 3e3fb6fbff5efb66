// What a server's datagram is here: a header, big-endian, and the bytes of one frame of a response.
//   4 bytes   number of the request that it answers, from 0
//   4 bytes   number of the frame in the response, from 0
//   4 bytes   how many frames the response has
//   4 bytes   1 + number of the client's datagram that it answers at once; 0: it waited behind other frames
//   2 bytes   how many frames, from the first, are the response's abstract; 0: it is not split (C03 §3)
//   2 bytes   1: its meaning depends on the frame before it, the same context (C03 §4)
// Nothing is negotiated. Whatever else comes is dropped, as if it had not come.

/** A frame of a response, and what its header says. */
export interface Frame {
  readonly request: number;
  readonly index: number;
  readonly frames: number;
  /** The client's datagram that it answers at once; null if it waited behind other frames. */
  readonly answers: number | null;
  readonly abstractFrames: number;
  readonly continues: boolean;
  readonly payload: Uint8Array;
}

export function encodeFrame(frame: Frame): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + frame.payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, frame.request);
  view.setUint32(4, frame.index);
  view.setUint32(8, frame.frames);
  view.setUint32(12, frame.answers === null ? 0 : frame.answers + 1);
  view.setUint16(16, frame.abstractFrames);
  view.setUint16(18, frame.continues ? 1 : 0);
  bytes.set(frame.payload, FRAME_HEADER_BYTES);
  return bytes;
}

/** Undefined for what is no frame. The payload is of the same memory. */
export function readFrame(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < FRAME_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [request, index, frames, answers] = [0, 4, 8, 12].map(at => view.getUint32(at)) as Four;
  const [abstractFrames, flags] = [view.getUint16(16), view.getUint16(18)];
  if (index >= frames || frames > MOST_FRAMES || abstractFrames > frames || flags > 1) return undefined;
  const payload = bytes.subarray(FRAME_HEADER_BYTES);
  const answered = answers === 0 ? null : answers - 1;
  return {request, index, frames, answers: answered, abstractFrames, continues: flags === 1, payload};
}

type Four = [number, number, number, number];

export const FRAME_HEADER_BYTES = 20;
/** A response of a gigabyte in frames of 1 KB: a client keeps no more of what a datagram claims. */
export const MOST_FRAMES = 2 ** 20;
