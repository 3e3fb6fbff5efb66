import {jpegQuality} from './jpegQuality.ts';
import {jpegSampling} from './jpegSampling.ts';
import {hasSamePixels} from './pixels.ts';

// Current formats. Browsers paint a WebP from the top as it arrives, and an AVIF of one layer, as it is made here, when
// it is complete (docs/image-formats.md). Qualities follow the JPEG's as far as that is known: they lose less than JPEG
// itself lost, 0.7 to 0.95 of it (root mean square, on four of the fixtures' pictures at 50, 75 and 90). PNGs keep
// their pixels or stay as they are.

/** The picture is rotated as it is to be shown, because readers do not agree about Exif in WebP. */
export async function asWebp(bytes: Uint8Array, format: 'jpeg' | 'png'): Promise<Uint8Array | undefined> {
  const {default: sharp} = await import('sharp');
  const picture = sharp(bytes).autoOrient().keepIccProfile();
  if (format === 'png') return exact(bytes, await picture.webp({lossless: true, exact: true}).toBuffer());
  const quality = jpegQuality(bytes);
  return quality === undefined ? undefined : picture.webp({quality}).toBuffer();
}

/** See {@link asWebp}. */
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

/** Effort, 0 to 9. It takes a quarter of the time of the default 4, for 4 % more bytes. */
const AVIF_EFFORT = 2;
