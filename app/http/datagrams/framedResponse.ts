import {encodedResponse, type Response} from '../response.ts';

/** A response cut into frames. Each frame is sent in one datagram. */
export interface FramedResponse {
  /** The object's number in the page. Null if the page has no such object. */
  readonly object: number | null;
  /** At least one frame. */
  readonly frames: readonly FrameBody[];
  /**
   * How many frames, from the first, form the abstract, which tells where the data of the others belong. 0 if the
   * frames form one sequence.
   */
  readonly abstractFrames: number;
}

export interface FrameBody {
  readonly payload: Uint8Array;
  /** Whether its meaning depends on the frame before it. */
  readonly continues: boolean;
}

/** Cuts a response into frames with payloads of at most `payloadBytes`. */
export type FrameResponse = (response: Response, payloadBytes: number) => FramedResponse;

/** Cuts the bytes of HTTP/1.1 wherever a datagram is full. */
export function inSequence(
  response: Response,
  payloadBytes: number,
  {continues}: {readonly continues: boolean},
): FramedResponse {
  const bodies = cut(encodedResponse(response), payloadBytes);
  const frames = bodies.map((payload, i) => ({payload, continues: continues && i > 0}));
  return {object: response.object, frames, abstractFrames: 0};
}

/** Pieces of `pieceBytes`; the last may be shorter. They share the memory of `bytes`. */
export function cut(bytes: Uint8Array, pieceBytes: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({length: count}, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes));
}
