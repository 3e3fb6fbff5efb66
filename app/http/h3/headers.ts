import type {Field} from '../hpack/field.ts';
import {FRAME, frame} from './frames.ts';
import {encodeFields} from './qpack.ts';

/** A HEADERS frame (RFC 9114 §7.2.2). It is made once for each list of fields. */
export function headersFrame(fields: readonly Field[]): Uint8Array {
  let bytes = frames.get(fields);
  if (bytes === undefined) {
    bytes = frame(FRAME.headers, encodeFields(fields));
    frames.set(fields, bytes);
  }
  return bytes;
}

const frames = new WeakMap<readonly Field[], Uint8Array>();
