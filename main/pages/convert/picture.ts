import type {Metadata} from 'sharp';
import type {Conversion} from '../../../app/page/conversion.ts';
import {pngChunks} from '../../../app/page/png.ts';
import {asAvif, asWebp, interlacedPng, progressiveJpeg} from './encodePicture.ts';

/** A picture that was made from another. */
export interface Converted {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /**
   * How long the conversion took, or how long it took to find that the picture stays as it is: wall-clock ms, to a
   * tenth.
   */
  readonly tookMs: number;
}

/**
 * Converts a picture. Undefined if it stays as it is: it is neither JPEG nor PNG, it is damaged, the result would be
 * larger, or it would look different (CMYK, 16 bits, animations, PNGs with another gamma). The same sharp with the same
 * codecs always gives the same bytes. `nowMs` is any clock.
 */
export async function convertedPicture(
  bytes: Uint8Array,
  conversion: Conversion,
  nowMs: () => number,
): Promise<Converted | undefined> {
  // loaded only here: where nothing is converted it is not needed, and the smoke test's Electron does not have it
  const {default: sharp} = await import('sharp');
  // libaom cuts a picture into as many tiles as there are threads, so another machine would give other bytes
  sharp.concurrency(1);
  const fromMs = nowMs();
  // a damaged picture is served as it is
  const made = await madeOf(bytes, conversion).catch(() => undefined);
  if (made === undefined || made.bytes.length >= bytes.length) return undefined;
  return {...made, tookMs: Math.round((nowMs() - fromMs) * 10) / 10};
}

type Made = Omit<Converted, 'tookMs'>;

async function madeOf(bytes: Uint8Array, conversion: Conversion): Promise<Made | undefined> {
  const format = formatOf(bytes);
  if (format === undefined) return undefined;
  const {default: sharp} = await import('sharp');
  const metadata = await sharp(bytes).metadata();
  if (!canBeKept(metadata) || (format === 'png' && isMoreThanPixels(bytes, metadata))) return undefined;
  switch (conversion) {
    case 'progressive':
      if (metadata.isProgressive) return undefined;
      return typed(`image/${format}`, await (format === 'jpeg' ? progressiveJpeg(bytes) : interlacedPng(bytes)));
    case 'webp':
      return typed('image/webp', await asWebp(bytes, format));
    case 'avif':
      return typed('image/avif', await asAvif(bytes, format));
  }
}

function typed(contentType: string, bytes: Uint8Array | undefined): Made | undefined {
  return bytes === undefined ? undefined : {contentType, bytes};
}

/** Whether sharp keeps the picture's looks: it would turn CMYK into RGB and 16 bits into 8. */
function canBeKept({space, depth, pages = 1, width, height}: Metadata): boolean {
  return space !== 'cmyk' && depth === 'uchar' && pages <= 1 && width * height <= MOST_PIXELS;
}

function formatOf(bytes: Uint8Array): 'jpeg' | 'png' | undefined {
  const mark = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (mark.startsWith('\xff\xd8\xff')) return 'jpeg';
  return mark === '\x89PNG' ? 'png' : undefined;
}

/**
 * Whether a PNG's pixels alone do not say how it looks: it is an animation (acTL), has another gamma than screens, a
 * colour space that only cICP names, or is rotated. Such chunks stand before the pixels (PNG 3 §5.6), perhaps after an
 * editor's own.
 */
function isMoreThanPixels(bytes: Uint8Array, {orientation = 1}: Metadata): boolean {
  if (orientation !== 1) return true;
  for (const {type, data} of pngChunks(bytes)) {
    if (type === 'IDAT') return false;
    if (type === 'acTL' || type === 'cICP') return true;
    if (type === 'gAMA' && Math.abs(Buffer.from(data).readUInt32BE(0) - USUAL_GAMMA) > SAME_GAMMA) return true;
  }
  return false;
}

/** 1/2.2 as gAMA has it (PNG 3 §11.3.1.2), and how far from it nobody sees a difference. */
const USUAL_GAMMA = 45_455;
const SAME_GAMMA = 500;

/** Most pixels of a picture. It is held in memory several times, with four bytes per pixel. */
const MOST_PIXELS = 16_000_000;
