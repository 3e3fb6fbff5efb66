import {isFrameHeader, jpegSegments} from './jpegSegments.ts';

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of an image according to its header, or undefined if the header is incomplete or the format is not
 * PNG, GIF, JPEG, WebP, AVIF, BMP or ICO. If a header states several sizes, the largest is returned, because the
 * decoder may use it. Exif rotation is ignored.
 */
export function imageSize(body: Uint8Array): ImageSize | undefined {
  if (body.length < 12) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) return sized(view.getUint32(16), view.getUint32(20));
    if (view.getUint32(0) === 0x47494638) return gifSize(view);
    if (view.getUint16(0) === 0xffd8) return jpegSize(body, view);
    if (view.getUint32(4) === FTYP) return avifSize(view);
    if (view.getUint16(0) === 0x424d) return bmpSize(view);
    if (view.getUint32(0) === 0x00000100) return iconSize(view);
    const isWebp = view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250;
    return isWebp ? webpSize(view) : undefined;
  } catch (error) {
    // The header is incomplete.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns whether a picture has too many pixels to be shown, because decoding it could take seconds and gigabytes. The
 * result is false if the size is not known.
 */
export function hasTooManyPixels(body: Uint8Array): boolean {
  return pixelsOf(imageSize(body)) > MOST_PIXELS;
}

/**
 * The largest number of pixels of a picture that is shown. A browser needs four bytes for each pixel, which makes 200
 * MB.
 */
export const MOST_PIXELS = 50_000_000;

/**
 * Returns the size of the logical screen. Like in browsers, it is enlarged if the first frame exceeds it (GIF89a §18,
 * 20).
 */
function gifSize(view: DataView): ImageSize | undefined {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const frameAt = gifFrameAt(view);
  if (frameAt === undefined) return sized(width, height);
  const [left, top, frameWidth, frameHeight] = [1, 3, 5, 7].map(at => view.getUint16(frameAt + at, true));
  return sized(Math.max(width, (left ?? 0) + (frameWidth ?? 0)), Math.max(height, (top ?? 0) + (frameHeight ?? 0)));
}

/**
 * Returns the offset of the first frame, after the colour table and the extensions, or undefined if it has not arrived.
 */
function gifFrameAt(view: DataView): number | undefined {
  const hasTable = 10 < view.byteLength && view.getUint8(10) >= 0x80;
  let at = 13 + (hasTable ? 3 * 2 ** ((view.getUint8(10) & 7) + 1) : 0);
  while (at + 9 <= view.byteLength && view.getUint8(at) === GIF_EXTENSION) {
    at += 2;
    while (at < view.byteLength && view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    at += 1;
  }
  return at + 9 <= view.byteLength && view.getUint8(at) === GIF_FRAME ? at : undefined;
}

/** Returns the size in the frame header (ITU-T T.81 §B.2.2). */
function jpegSize(body: Uint8Array, view: DataView): ImageSize | undefined {
  for (const {marker, start} of jpegSegments(body))
    if (isFrameHeader(marker)) return sized(view.getUint16(start + 3), view.getUint16(start + 1));
  return undefined;
}

/** Returns the size in a WebP header (RFC 9649 §2.5 to 2.7). */
function webpSize(view: DataView): ImageSize | undefined {
  const chunk = view.getUint32(12);
  const uint24 = (at: number): number => view.getUint16(at, true) + 0x10000 * view.getUint8(at + 2);
  if (chunk === VP8X) return sized(uint24(24) + 1, uint24(27) + 1);
  if (chunk === VP8) return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (chunk !== VP8L) return undefined;
  const bits = view.getUint32(21, true);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** Returns the largest size of the file's items (ISO/IEC 23008-12 §6.5.3, `ispe`). The sizes precede the data. */
function avifSize(view: DataView): ImageSize | undefined {
  let largest: ImageSize | undefined;
  for (let at = 8; at + 16 <= Math.min(view.byteLength, AVIF_HEAD_BYTES); at++) {
    // The check of the first byte is cheap and excludes most offsets.
    if (view.getUint8(at) !== ISPE >>> 24 || view.getUint32(at) !== ISPE) continue;
    const size = sized(view.getUint32(at + 8), view.getUint32(at + 12));
    if (size !== undefined && pixelsOf(size) > pixelsOf(largest)) largest = size;
  }
  return largest;
}

/**
 * Returns the size in a BMP header, which has the oldest form or a later one. In later forms, a negative height means
 * that the rows are stored from top to bottom.
 */
function bmpSize(view: DataView): ImageSize | undefined {
  if (view.getUint32(14, true) === 12) return sized(view.getUint16(18, true), view.getUint16(20, true));
  return sized(view.getInt32(18, true), Math.abs(view.getInt32(22, true)));
}

/** Returns the size of the largest picture in the file. The value 0 means 256. */
function iconSize(view: DataView): ImageSize | undefined {
  let largest: ImageSize | undefined;
  for (let entry = 0; entry < view.getUint16(4, true); entry++) {
    const [width, height] = [view.getUint8(6 + 16 * entry) || 256, view.getUint8(7 + 16 * entry) || 256];
    if (width * height > pixelsOf(largest)) largest = {width, height};
  }
  return largest;
}

function pixelsOf(size: ImageSize | undefined): number {
  return size === undefined ? 0 : size.width * size.height;
}

function sized(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? {width, height} : undefined;
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

const VP8X = 0x56503858;
const VP8 = 0x56503820;
const VP8L = 0x5650384c;

const FTYP = 0x66747970;
const ISPE = 0x69737065;

/** Number of bytes in which the sizes of an AVIF are searched. Headers are usually far shorter. */
const AVIF_HEAD_BYTES = 65_536;

// Browsers and Node have the function `atob` (WHATWG HTML §8.3), but app/ is compiled without the types of either.
declare const atob: (base64: string) => string;

/** Returns whether a `data:` address holds a picture that is too large to be shown ({@link hasTooManyPixels}). */
export function isHugeDataUrl(reference: string): boolean {
  const start = reference.indexOf(',');
  if (start < 0 || !/^\s*data:/i.test(reference)) return false;
  const [head, data] = [reference.slice(0, start), reference.slice(start + 1, start + 1 + MOST_LETTERS)];
  const text = data.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const letters = /;\s*base64\s*$/i.test(head) ? fromBase64(text) : text;
  return hasTooManyPixels(Uint8Array.from(letters, letter => letter.charCodeAt(0)));
}

/** Returns whether the text of an SVG embeds a picture that is too large to be shown. */
export function holdsHugePicture(drawing: string): boolean {
  return Array.from(drawing.matchAll(/data:[^"'<>()]*/gi)).some(([reference]) => isHugeDataUrl(reference));
}

/** Decodes whole groups of four characters and ignores everything that is not base64. */
function fromBase64(text: string): string {
  const letters = text.replace(/[^A-Za-z0-9+/]+/g, '');
  return atob(letters.slice(0, letters.length - (letters.length % 4)));
}

/**
 * Number of characters of an address that are decoded. They suffice for a picture's header and the metadata before it.
 */
const MOST_LETTERS = 100_000;
