import type {Metadata} from 'sharp';
import type {Conversion} from '../../../app/page/conversion.ts';
import {pngChunks} from '../../../app/page/png.ts';
import {asAvif, asWebp, interlacedPng, progressiveJpeg} from './encodePicture.ts';

/** The result of a conversion. */
export interface Converted {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Wall-clock time of the conversion in ms, rounded to a tenth. */
  readonly tookMs: number;
}

/**
 * Converts a picture. Returns undefined if the picture is neither JPEG nor PNG, is damaged, is too large to convert, is
 * a JPEG of unknown quality, or should become progressive but already is progressive. Also returns undefined if the
 * result would not be smaller, or would look different (for example CMYK, 16 bits, animations, PNGs with another
 * gamma). The same version of sharp with the same codecs always gives the same bytes. `nowMs` may be any clock.
 */
export async function convertedPicture(
  bytes: Uint8Array,
  conversion: Conversion,
  nowMs: () => number,
): Promise<Converted | undefined> {
  // sharp is loaded only when a picture is converted, because programs that convert nothing do not need it, and the
  // smoke test's Electron does not have it
  const {default: sharp} = await import('sharp');
  // libaom divides a picture into as many tiles as there are threads, so the bytes would depend on the machine
  sharp.concurrency(1);
  const fromMs = nowMs();
  // a damaged picture is served unchanged
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

/**
 * Whether sharp can convert the picture within memory and without changing how it looks. sharp would turn CMYK into
 * RGB, 16 bits into 8, and an animation into its first picture.
 */
function canBeKept({space, depth, pages = 1, width, height}: Metadata): boolean {
  return space !== 'cmyk' && depth === 'uchar' && pages <= 1 && width * height <= MOST_PIXELS;
}

function formatOf(bytes: Uint8Array): 'jpeg' | 'png' | undefined {
  const mark = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (mark.startsWith('\xff\xd8\xff')) return 'jpeg';
  return mark === '\x89PNG' ? 'png' : undefined;
}

/**
 * Whether a PNG would look different if only its pixels were kept. That is so if it is an animation (acTL), is rotated,
 * has another gamma than screens, or has a colour space that only cICP names. The chunks that say so precede the pixels
 * (PNG 3 §5.6), but need not be the first chunks. So all chunks before the pixels are read.
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

/**
 * The gamma 1/2.2 in the units of gAMA (PNG 3 §11.3.2.2). `SAME_GAMMA` is the largest difference from it that is
 * ignored, because nobody sees it.
 */
const USUAL_GAMMA = 45_455;
const SAME_GAMMA = 500;

/** Largest number of pixels of a picture that is converted. Several copies are in memory, at four bytes per pixel. */
const MOST_PIXELS = 16_000_000;
