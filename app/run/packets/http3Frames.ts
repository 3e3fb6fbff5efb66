import {FRAME, STREAM} from '../../http/h3/h3Frame.ts';
import {ByteReader, partOf} from './part.ts';
import type {Unit} from './streamSlice.ts';

/** Whether a QUIC stream is unidirectional (RFC 9000 §2.1). */
export function isUnidirectional(streamId: number): boolean {
  return streamId % 4 >= 2;
}

export interface H3Frame extends Unit {
  readonly type: number;
  /** Offset in the stream at which the payload begins. */
  readonly payload: number;
}

/**
 * Reads the frames of a stream from the offset `start` (RFC 9114 §7.1). A frame with an incomplete type or length is
 * left out.
 */
export function readFrames(stream: Uint8Array, start: number): readonly H3Frame[] {
  const frames: H3Frame[] = [];
  const bytes = new ByteReader(stream.subarray(start));
  partOf('frames', bytes, () => {
    while (bytes.left > 0) {
      const from = stream.length - bytes.left;
      const [type, length] = [bytes.varint('Type'), bytes.varint('Length')];
      const payload = stream.length - bytes.left;
      frames.push({type, from, payload, to: payload + length});
      bytes.take(length, 'payload');
    }
  });
  return frames;
}

/** The kind of a frame. Undefined if its type is unknown. */
export type H3FrameKind = keyof typeof FRAME | undefined;

export function frameKind({type}: H3Frame): H3FrameKind {
  return (Object.keys(FRAME) as (keyof typeof FRAME)[]).find(kind => FRAME[kind] === type);
}

/** Returns the purpose of a unidirectional stream of this type. Undefined if the type is unknown. */
export function streamKind(type: number): keyof typeof STREAM | undefined {
  return (Object.keys(STREAM) as (keyof typeof STREAM)[]).find(kind => STREAM[kind] === type);
}

/**
 * Returns the type of a unidirectional stream, and the offset at which the type ends. Undefined if the type is
 * incomplete.
 */
export function streamType(stream: Uint8Array): {readonly value: number; readonly to: number} | undefined {
  let type: {readonly value: number; readonly to: number} | undefined;
  partOf('stream type', new ByteReader(stream), bytes => {
    const value = bytes.varint('Stream Type');
    type = {value, to: stream.length - bytes.left};
  });
  return type;
}
