import {wholeLayers} from '../../../app/page/avifLayers.ts';
import {hasTooManyPixels, holdsHugePicture} from '../../../app/page/imageSize.ts';
import {openEndedPicture, wantsOpenEnd} from './openEnded.ts';

/** A picture as the server sends it. */
export interface PictureFile {
  readonly body: Uint8Array;
  readonly contentType: string;
}

/** Decodes the first bytes of a picture. Resolves with an address to show, or undefined if they cannot be shown. */
export type Decode = (file: PictureFile, bytes: number) => Promise<string | undefined>;

/**
 * Decodes the first bytes of a picture to what Chromium paints while it waits for the other bytes. A picture with too
 * many pixels is never decoded.
 */
export async function decodePrefix(file: PictureFile, bytes: number): Promise<string | undefined> {
  if (isHuge(file, bytes)) return undefined;
  return wantsOpenEnd(file, bytes) ? openEndedAddress(file, bytes) : (await closed(file, bytes))?.address;
}

/**
 * Like {@link decodePrefix}, but the result always has the same pixels. If a JPEG is shown at a smaller size, Chromium
 * either decodes it at that size or, if it still has the pixels of an earlier decoding at full size, scales these down.
 * The two results differ.
 */
export async function decodeToPixels(file: PictureFile, bytes: number): Promise<string | undefined> {
  if (isHuge(file, bytes)) return undefined;
  if (wantsOpenEnd(file, bytes)) return openEndedAddress(file, bytes);
  const decoded = await closed(file, bytes);
  if (decoded === undefined) return undefined;
  const {image, address} = decoded;
  // an SVG has no pixels of its own
  if (isDrawing(file)) return address;
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  URL.revokeObjectURL(address);
  return addressOf(canvas);
}

/**
 * The bytes for a decoder that treats them as a whole file. From these bytes, it paints what a browser paints of a file
 * that is still arriving. The first bytes of a JPEG, PNG or GIF need no change for that. An AVIF is cut to its whole
 * layers.
 */
export function closedPrefix({body}: PictureFile, bytes: number): Uint8Array {
  return bytes < body.length ? wholeLayers(body.subarray(0, bytes)) : body;
}

/** The content type for a browser. It is empty except for SVG: browsers recognise other formats by their bytes. */
export function imageType(file: PictureFile): string {
  return isDrawing(file) ? SVG : '';
}

/** Decodes a prefix to a picture and its address, which the caller must revoke. Undefined if it cannot be decoded. */
async function closed(
  file: PictureFile,
  bytes: number,
): Promise<{readonly image: HTMLImageElement; readonly address: string} | undefined> {
  const prefix = closedPrefix(file, bytes) as Uint8Array<ArrayBuffer>;
  const address = URL.createObjectURL(new Blob([prefix], {type: imageType(file)}));
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
    return {image, address};
  } catch {
    URL.revokeObjectURL(address);
    return undefined;
  }
}

async function openEndedAddress(file: PictureFile, bytes: number): Promise<string | undefined> {
  const canvas = await openEndedPicture(file, bytes);
  return canvas && addressOf(canvas);
}

/**
 * An address of a canvas's content. The picture is decoded in advance, so that an image element paints it immediately.
 */
async function addressOf(canvas: OffscreenCanvas): Promise<string> {
  const png = URL.createObjectURL(await canvas.convertToBlob());
  const shown = new Image();
  shown.src = png;
  await shown.decode();
  return png;
}

function isHuge(file: PictureFile, bytes: number): boolean {
  const prefix = file.body.subarray(0, bytes);
  return isDrawing(file) ? holdsHugePicture(new TextDecoder().decode(prefix)) : hasTooManyPixels(prefix);
}

function isDrawing({contentType}: PictureFile): boolean {
  return contentType.startsWith(SVG);
}

const SVG = 'image/svg+xml';
