import {wholeLayers} from '../../../app/page/avifLayers.ts';
import {hasTooManyPixels, holdsHugePicture} from '../../../app/page/imageSize.ts';
import {openEndedPicture, wantsOpenEnd} from './openEnded.ts';

/** A picture as its server has it. */
export interface PictureFile {
  readonly body: Uint8Array;
  readonly contentType: string;
}

/** Decodes the first bytes of a picture: its address to show, or undefined if nothing of it can be shown yet. */
export type Decode = (file: PictureFile, bytes: number) => Promise<string | undefined>;

/** What Chromium paints of the first bytes of a picture while the others are still awaited. */
export async function decodePrefix(file: PictureFile, bytes: number): Promise<string | undefined> {
  if (isHuge(file, bytes)) return undefined;
  return wantsOpenEnd(file, bytes) ? openEndedAddress(file, bytes) : (await closed(file, bytes))?.address;
}

/**
 * As {@link decodePrefix}, but its picture is painted in one way only. Chromium decodes a JPEG smaller than it is
 * where it is shown smaller, unless it has just decoded it whole: the pixels are others then.
 */
export async function decodeToPixels(file: PictureFile, bytes: number): Promise<string | undefined> {
  if (isHuge(file, bytes)) return undefined;
  if (wantsOpenEnd(file, bytes)) return openEndedAddress(file, bytes);
  const decoded = await closed(file, bytes);
  if (decoded === undefined) return undefined;
  const {image, address} = decoded;
  // a drawing has no pixels of its own
  if (isDrawing(file)) return address;
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  URL.revokeObjectURL(address);
  return addressOf(canvas);
}

/**
 * What a decoder of a file that has ended is to be given for the first bytes of a picture, so that it paints what it
 * would of one that goes on. JPEG, PNG and GIF are painted alike either way.
 */
export function closedPrefix({body}: PictureFile, bytes: number): Uint8Array {
  return bytes < body.length ? wholeLayers(body.subarray(0, bytes)) : body;
}

/** What a browser has to be told: of all but drawings it looks at the bytes. */
export function imageType(file: PictureFile): string {
  return isDrawing(file) ? SVG : '';
}

/** A prefix that decodes, as a picture and its address, which is to be revoked; undefined for one that does not. */
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

/** Of a picture that is decoded already when it is shown. */
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
