// The format of a server's datagram: a header, big-endian, and the bytes of one frame of a response.
//   4 bytes   number of the request that it answers, from 0
//   4 bytes   number of the frame in the response, from 0
//   4 bytes   number of frames in the response
//   4 bytes   1 + number of the client's datagram that it answers at once; 0 if it waited behind other frames
//   2 bytes   number of frames, from the first, that are the response's abstract; 0 if it is not split (C03 §3)
//   2 bytes   1 if its meaning depends on the frame before it, as in the same context (C03 §4)
// Nothing is negotiated. All other datagrams are dropped.

/** A frame of a response with the fields of its header. */
export interface Frame {
  readonly request: number;
  readonly index: number;
  readonly frames: number;
  /** The client's datagram that it answers at once. Null if it waited behind other frames. */
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

/** Parses a datagram. Undefined if it is not a frame. The payload shares its memory. */
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
/**
 * Enough for a response of a gigabyte in frames of 1 KB. This limits what a client allocates for a datagram's claim.
 */
export const MOST_FRAMES = 2 ** 20;
