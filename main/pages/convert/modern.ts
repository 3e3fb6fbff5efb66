import {jpegQuality} from './jpegQuality.ts';
import {jpegSampling} from './jpegSampling.ts';
import {hasSamePixels} from './pixels.ts';

// Formats of today. Browsers paint a WebP from the top as it comes, and an AVIF of one layer, as it is made here, when it
// is whole (docs/image-formats.md). Of a JPEG's quality as far as that has a number: what they take from it is less than what JPEG took, 0.7 to 0.95 of that on four of the fixtures' pictures
// at 50, 75 and 90 (root mean square). PNGs keep their pixels, or stay.

/** Turned as it is to be shown: readers do not agree about WebP's Exif. */
export async function asWebp(bytes: Uint8Array, format: 'jpeg' | 'png'): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const picture = sharp(bytes).autoOrient().keepIccProfile();
  if (format === 'png') return exact(bytes, await picture.webp({lossless: true, exact: true}).toBuffer());
  const quality = jpegQuality(bytes);
  return quality === undefined ? undefined : picture.webp({quality}).toBuffer();
}

/** As {@link asWebp}. */
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

/** Of JPEG's number. */
const AVIF_QUALITY = 0.8;

/** Of 0 to 9: a quarter of the time that the usual 4 takes, for 4 % more bytes. */
const AVIF_EFFORT = 2;
