import {jpegQuality, jpegSampling} from './jpegSettings.ts';

// Conversions to current formats. Browsers paint a WebP from the top as it arrives. They paint an AVIF of one layer,
// like those made here, when it is complete (docs/image-formats.md). Qualities follow that of the JPEG where it is
// known. What the conversion loses is 0.7 to 0.95 of what the JPEG itself had lost (root mean square, on four of the
// fixtures' pictures at 50, 75 and 90). PNGs keep their pixels or stay as they are.

/**
 * Converts a picture to WebP. The result is rotated as it is to be shown, because readers do not agree about Exif in
 * WebP.
 */
export async function asWebp(bytes: Uint8Array, format: 'jpeg' | 'png'): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const picture = sharp(bytes).autoOrient().keepIccProfile();
  if (format === 'png') return exact(bytes, await picture.webp({lossless: true, exact: true}).toBuffer());
  const quality = jpegQuality(bytes);
  return quality === undefined ? undefined : picture.webp({quality}).toBuffer();
}

/** Converts a picture to AVIF, rotated like the result of {@link asWebp}. */
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

/** AVIF's quality number as a share of JPEG's. */
const AVIF_QUALITY = 0.8;

/**
 * The encoder's effort, 0 to 9. With this it needs a quarter of the time of the default 4, and makes files that are 4 %
 * larger.
 */
const AVIF_EFFORT = 2;

/**
 * A progressive JPEG of the same quality (N07 §6, 'The effects of transport-layer multistreaming on web browsing').
 * Undefined if the quality is unknown.
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
      // the tables by which `jpegQuality` measures quality
      quantisationTable: 0,
      chromaSubsampling: jpegSampling(bytes),
    })
    .toBuffer();
}

/** Saves the same pixels in the passes of Adam7 (PNG §8.2). Undefined if the pixels turn out to differ. */
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

/** Offset of IHDR's colour type (PNG §11.2.1), behind signature, length, type, width, height and depth. */
const COLOUR_TYPE_AT = 25;
const INDEXED = 3;

/** Whether two pictures are equal, pixel by pixel. */
export async function hasSamePixels(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  const {default: sharp} = await import('sharp');
  const [before, after] = await Promise.all([one, other].map(each => sharp(each).ensureAlpha().raw().toBuffer()));
  return before !== undefined && after?.equals(before) === true;
}
