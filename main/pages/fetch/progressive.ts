import type {MediaType} from '../base/mediaType.ts';
import {convertedPicture} from '../convert/picture.ts';
import type {Converted} from './gather.ts';

/**
 * Converts a picture to one that can be shown before it is complete: a progressive JPEG or an interlaced PNG. Returns
 * undefined if the picture should stay as it is (see `convertedPicture`). `nowMs` is only used to measure how long the
 * conversion takes, so it may count from any time.
 */
export async function progressive(
  bytes: Uint8Array,
  type: MediaType,
  nowMs: () => number,
): Promise<Converted | undefined> {
  const made = await convertedPicture(bytes, 'progressive', nowMs);
  if (made === undefined) return undefined;
  const conversion = {from: FORMS[type.extension] ?? '', fromBytes: bytes.length, ms: made.tookMs};
  return {bytes: made.bytes, type, conversion};
}

const FORMS: {readonly [extension: string]: string} = {jpg: 'baseline JPEG', png: 'PNG in rows'};
