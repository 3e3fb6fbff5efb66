import {encodedResponse, type Response} from '../response.ts';

/** A response as its frames, which are sent one in a datagram. */
export interface FramedResponse {
  /** Its number in the page; null if the page names no such thing. */
  readonly object: number | null;
  /** At least one. */
  readonly frames: readonly FrameBody[];
  /** How many of them, from the first, tell where what the others have belongs; 0: each follows the one before. */
  readonly abstractFrames: number;
}

export interface FrameBody {
  readonly payload: Uint8Array;
  /** It means little without the frame before it. */
  readonly continues: boolean;
}

/** How a server makes frames of a response, of `payloadBytes` at most. */
export type FrameResponse = (response: Response, payloadBytes: number) => FramedResponse;

/** HTTP/1.1's bytes, cut wherever a datagram is full. */
export function inSequence(
  response: Response,
  payloadBytes: number,
  {continues}: {readonly continues: boolean},
): FramedResponse {
  const bodies = cut(encodedResponse(response), payloadBytes);
  const frames = bodies.map((payload, i) => ({payload, continues: continues && i > 0}));
  return {object: response.object, frames, abstractFrames: 0};
}

/** Pieces of the same memory, of `pieceBytes` but for the last. */
export function cut(bytes: Uint8Array, pieceBytes: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({length: count}, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes));
}
