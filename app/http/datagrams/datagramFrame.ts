// The format of a server's datagram: a header, big-endian, and the bytes of one frame of a response.
//   4 bytes   number of the request that the frame answers, from 0
//   4 bytes   number of the frame in the response, from 0
//   4 bytes   number of frames in the response
//   4 bytes   1 + n if the frame is the first one that answers the client's datagram n, and did not wait behind other
//             frames; otherwise 0
//   2 bytes   number of frames, from the first, that form the response's abstract; 0 if there is none (C03 §3)
//   2 bytes   1 if the frame and the one before it carry parts of the same data, for example of one picture, which C03
//             (§4) calls the same context; otherwise 0. In the pipeline UDP it is always 0
// The format is not negotiated. Datagrams in any other format are dropped.

/** A frame of a response, with the fields of its header. */
export interface Frame {
  readonly request: number;
  readonly index: number;
  readonly frames: number;
  /**
   * The number of the client's datagram, if this is the first frame that answers it and did not wait behind other
   * frames. Otherwise null.
   */
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

/**
 * Parses a datagram. Returns undefined if the datagram is too short for the header or a field of the header is invalid.
 * The payload shares the datagram's memory.
 */
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
 * The largest number of frames of a response. It suffices for a gigabyte in frames of 1 KB. The limit prevents a client
 * from allocating too much memory because of a false number in a datagram.
 */
export const MOST_FRAMES = 2 ** 20;
