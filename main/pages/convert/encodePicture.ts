import {jpegQuality, jpegSampling} from './jpegSettings.ts';

// This file converts JPEG and PNG pictures to WebP, to AVIF, and to a progressive JPEG or an interlaced PNG. Browsers
// paint a WebP from top to bottom while it arrives. An AVIF that has one layer is not painted before it is complete
// (docs/image-formats.md), and all AVIFs that are made here have one layer. A JPEG is converted at a quality that
// matches its own, or not at all if its quality is unknown. The conversion to WebP or AVIF adds an error of 0.7 to 0.95
// times the error that the JPEG itself has (root mean square, measured on four pictures of the fixtures at qualities
// 50, 75 and 90). A PNG is converted without loss, or not at all.

/**
 * Converts a picture to WebP. The pixels of the result are rotated as the Exif orientation says, because not all
 * programs obey the orientation in a WebP. Returns undefined if a JPEG has an unknown quality, or if the pixels of a
 * PNG would change.
 */
export async function asWebp(bytes: Uint8Array, format: 'jpeg' | 'png'): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const picture = sharp(bytes).autoOrient().keepIccProfile();
  if (format === 'png') return exact(bytes, await picture.webp({lossless: true, exact: true}).toBuffer());
  const quality = jpegQuality(bytes);
  return quality === undefined ? undefined : picture.webp({quality}).toBuffer();
}

/** Converts a picture to AVIF, rotated like the result of {@link asWebp}. Returns undefined in the same cases. */
export async function asAvif(bytes: Uint8Array, format: 'jpeg' | 'png'): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const picture = sharp(bytes).autoOrient().keepIccProfile();
  if (format === 'png') return exact(bytes, await picture.avif({lossless: true, effort: AVIF_EFFORT}).toBuffer());
  const quality = jpegQuality(bytes);
  if (quality === undefined) return undefined;
  return picture
    .avif({
      quality: Math.max(Math.round(AVIF_QUALITY * quality), 1),
      effort: AVIF_EFFORT,
      chromaSubsampling: jpegSampling(bytes),
    })
    .toBuffer();
}

async function exact(before: Uint8Array, made: Uint8Array): Promise<Uint8Array | undefined> {
  return (await hasSamePixels(before, made)) ? made : undefined;
}

/** Factor from a JPEG's quality number to the quality number for AVIF. */
const AVIF_QUALITY = 0.8;

/**
 * The encoder's effort, 0 to 9. Compared with the default of 4, this value takes a quarter of the time and makes files
 * 4 % larger.
 */
const AVIF_EFFORT = 2;

/**
 * Converts a JPEG to a progressive JPEG of the same quality. Paper N07 proposes a gateway that does this (§6). Returns
 * undefined if the quality is unknown.
 */
export async function progressiveJpeg(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const quality = jpegQuality(bytes);
  if (quality === undefined) return undefined;
  const {default: sharp} = await import('sharp');
  return sharp(bytes)
    .keepExif()
    .keepIccProfile()
    .jpeg({
      quality,
      progressive: true,
      optimiseScans: true,
      // 0 selects the tables of ITU-T T.81, Annex K. `jpegQuality` estimates the quality by comparison with them.
      quantisationTable: 0,
      chromaSubsampling: jpegSampling(bytes),
    })
    .toBuffer();
}

/**
 * Converts a PNG to an interlaced PNG (Adam7, PNG §8.2) with the same pixels. Returns undefined if the pixels of the
 * result differ.
 */
export async function interlacedPng(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const isIndexed = bytes[COLOUR_TYPE_AT] === INDEXED;
  const made = await sharp(bytes)
    .keepIccProfile()
    .png({
      progressive: true,
      compressionLevel: 9,
      adaptiveFiltering: !isIndexed,
      ...(isIndexed ? {palette: true, quality: 100, colours: 256, dither: 0} : {}),
    })
    .toBuffer();
  return (await hasSamePixels(bytes, made)) ? made : undefined;
}

/** Offset of IHDR's colour type (PNG §11.2.1), after signature, length, type, width, height and depth. */
const COLOUR_TYPE_AT = 25;
const INDEXED = 3;

/** Whether two pictures are equal, pixel by pixel. */
export async function hasSamePixels(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  const {default: sharp} = await import('sharp');
  const [before, after] = await Promise.all([one, other].map(each => sharp(each).ensureAlpha().raw().toBuffer()));
  return before !== undefined && after?.equals(before) === true;
}
