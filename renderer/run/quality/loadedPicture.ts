import {closedPrefix, imageType, type PictureFile} from '../panes/decodePicture.ts';
import {openEndedPicture, wantsOpenEnd} from '../panes/openEnded.ts';

/**
 * The first bytes of a picture, to be painted once; undefined if nothing of them can be shown. Painted they are what the
 * panes show, at half the cost: panes keep addresses of what they show, and wait for a decoder (`decode()`) whose pixels
 * a canvas does not take.
 */
export async function loadedPicture(file: PictureFile, bytes: number): Promise<CanvasImageSource | undefined> {
  if (wantsOpenEnd(file, bytes)) return openEndedPicture(file, bytes);
  const address = addressOf(closedPrefix(file, bytes), imageType(file));
  const image = new Image();
  const isLoaded = await new Promise<boolean>(resolve => {
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = address;
  });
  if (address.startsWith('blob:')) URL.revokeObjectURL(address);
  return isLoaded ? image : undefined;
}

/** A blob's way to the picture leads through other processes. */
function addressOf(prefix: Uint8Array, type: string): string {
  if (prefix.length > MOST_LETTERS) {
    return URL.createObjectURL(new Blob([prefix as Uint8Array<ArrayBuffer>], {type}));
  }
  return `data:${type};base64,${btoa(String.fromCharCode(...prefix))}`;
}

/** Bytes that are written as letters in less than a millisecond. */
const MOST_LETTERS = 32_768;
