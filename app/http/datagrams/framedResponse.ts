import {encodedResponse, type Response} from '../response.ts';

/** A response that is cut into frames. Each frame is sent in one datagram. */
export interface FramedResponse {
  /** The object's number in the page. It is null if the page has no such object. */
  readonly object: number | null;
  /** The frames in order, at least one. */
  readonly frames: readonly FrameBody[];
  /**
   * The number of frames that form the abstract, counted from the first. The abstract of an HTML response contains the
   * HTTP head and all tags. The other frames can be shown only when the abstract is complete. The number is 0 if there
   * is no abstract and the frames form one sequence.
   */
  readonly abstractFrames: number;
}

export interface FrameBody {
  readonly payload: Uint8Array;
  /**
   * Whether the frame and the one before it carry parts of the same data: of the abstract, of one text, or of one
   * picture. C03 (§4) says that such frames have the same context. When such a frame arrives, the client immediately
   * requests the missing frames directly before it. In the pipeline UDP, this is always false.
   */
  readonly continues: boolean;
}

/** Cuts a response into frames with payloads of at most `payloadBytes`. */
export type FrameResponse = (response: Response, payloadBytes: number) => FramedResponse;

/**
 * Encodes a response in HTTP/1.1 and cuts it into frames of `payloadBytes` bytes each. The last frame may be smaller.
 * With `continues`, all frames except for the first are marked with {@link FrameBody.continues}.
 */
export function inSequence(
  response: Response,
  payloadBytes: number,
  {continues}: {readonly continues: boolean},
): FramedResponse {
  const bodies = cut(encodedResponse(response), payloadBytes);
  const frames = bodies.map((payload, i) => ({payload, continues: continues && i > 0}));
  return {object: response.object, frames, abstractFrames: 0};
}

/** Cuts bytes into pieces of `pieceBytes`. The last piece may be shorter. The pieces share the memory of `bytes`. */
export function cut(bytes: Uint8Array, pieceBytes: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({length: count}, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes));
}
