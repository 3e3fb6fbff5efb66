import sharp from 'sharp';
import type {Converted} from './gather.ts';
import type {MediaType} from './mediaType.ts';

/**
 * A picture that can be shown before it is complete (N07 §6): a progressive JPEG of the quality that it had, a PNG
 * of the same pixels in Adam7's passes. Undefined where it is one already, would be larger, or is of another format:
 * WebP and AVIF have no such form, and are seen when they are complete. `nowMs` is any clock.
 */
export async function progressive(
  bytes: Uint8Array,
  type: MediaType,
  nowMs: () => number,
): Promise<Converted | undefined> {
  const fromMs = nowMs();
  const made = await convertedOf(bytes, type).catch(() => undefined);
  if (made === undefined || made.length >= bytes.length) return undefined;
  const ms = Math.round((nowMs() - fromMs) * 10) / 10;
  return {bytes: made, type, conversion: {from: FORMS[type.extension] ?? '', fromBytes: bytes.length, ms}};
}

async function convertedOf(bytes: Uint8Array, {extension}: MediaType): Promise<Uint8Array | undefined> {
  if (!(extension in FORMS)) return undefined;
  const {isProgressive, chromaSubsampling, space, depth, pages, width, height} =
    await sharp(bytes).metadata();
  if (width * height > MOST_PIXELS) return undefined;
  // sharp would make RGB of CMYK, eight bits of sixteen
  if (isProgressive || space === 'cmyk' || depth !== 'uchar' || (pages ?? 1) > 1) return undefined;
  return extension === 'jpg' ? progressiveJpeg(bytes, chromaSubsampling) : interlacedPng(bytes);
}

async function progressiveJpeg(
  bytes: Uint8Array,
  chromaSubsampling = '4:2:0',
): Promise<Uint8Array | undefined> {
  const quality = jpegQuality(bytes);
  if (quality === undefined) return undefined;
  return sharp(bytes)
    .keepExif()
    .keepIccProfile()
    .jpeg({
      ...{quality, progressive: true, optimiseScans: true},
      // the tables that `jpegQuality` counts by
      quantisationTable: 0,
      chromaSubsampling: chromaSubsampling === '4:4:4' ? '4:4:4' : '4:2:0',
    })
    .toBuffer();
}

/** Its pixels are looked at: they are the same, or it is undefined. */
async function interlacedPng(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (isAnimated(bytes)) return undefined;
  const isIndexed = bytes[COLOUR_TYPE_AT] === INDEXED;
  const made = await sharp(bytes)
    .keepIccProfile()
    .png({
      ...{progressive: true, compressionLevel: 9, adaptiveFiltering: !isIndexed},
      ...(isIndexed ? {palette: true, quality: 100, colours: 256, dither: 0} : {}),
    })
    .toBuffer();
  const [before, after] = await Promise.all(
    [bytes, made].map(each => sharp(each).ensureAlpha().raw().toBuffer()),
  );
  return before !== undefined && after?.equals(before) ? made : undefined;
}

/**
 * 1 to 100, as the Independent JPEG Group counts: its first table of luminance, scaled. Undefined if the file has
 * none that can be read.
 */
export function jpegQuality(bytes: Uint8Array): number | undefined {
  const table = luminanceTable(bytes);
  if (table === undefined) return undefined;
  const sum = table.reduce((all, step) => all + step, 0);
  const distance = (quality: number): number => Math.abs(stepsSum(quality) - sum);
  const qualities = Array.from({length: 100}, (_, i) => 100 - i);
  return qualities.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

/** Of the IJG's first table at a quality, in a baseline file: its steps are at most 255. */
function stepsSum(quality: number): number {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return STANDARD_STEPS.reduce((sum, step) => {
    return sum + Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100)));
  }, 0);
}

/** DQT's table 0 (ITU T.81 §B.2.4.1). */
function luminanceTable(bytes: Uint8Array): readonly number[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const [marker, length] = [bytes[at + 1] ?? 0, view.getUint16(at + 2)];
    if (marker === SOS) return undefined;
    const end = Math.min(at + 2 + length, bytes.length);
    for (let table = at + 4; marker === DQT && table < end; ) {
      const entryBytes = (bytes[table] ?? 0) >> 4 === 0 ? 1 : 2;
      const entries = table + 1;
      if (entries + 64 * entryBytes > end) return undefined;
      if (((bytes[table] ?? 0) & 15) === 0) {
        return Array.from({length: 64}, (_, i) =>
          entryBytes === 1 ? view.getUint8(entries + i) : view.getUint16(entries + 2 * i),
        );
      }
      table = entries + 64 * entryBytes;
    }
    at += 2 + Math.max(length, 2);
  }
  return undefined;
}

function isAnimated(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(0, 4096).includes('acTL');
}

/** Each is held several times, four bytes each. */
const MOST_PIXELS = 16_000_000;

const SOS = 0xda;
const DQT = 0xdb;

/** IHDR's (PNG §11.2.1): after signature, length, type, width, height and depth. */
const COLOUR_TYPE_AT = 25;
const INDEXED = 3;

/** ITU T.81's table K.1. */
const STANDARD_STEPS: readonly number[] = [
  ...[16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55],
  ...[14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62],
  ...[18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92],
  ...[49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99],
];

const FORMS: {readonly [extension: string]: string} = {jpg: 'baseline JPEG', png: 'PNG in rows'};
