import {jpegQuality} from './jpegQuality.ts';
import {jpegSampling} from './jpegSampling.ts';
import {hasSamePixels} from './pixels.ts';

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
      // the tables that `jpegQuality` is measured by
      quantisationTable: 0,
      chromaSubsampling: jpegSampling(bytes),
    })
    .toBuffer();
}

/** The same pixels in Adam7's passes (PNG §8.2). Undefined if the pixels turn out to differ. */
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
