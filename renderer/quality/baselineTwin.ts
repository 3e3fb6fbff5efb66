import type {Page, PageObject} from '../../app/page/page.ts';
import {imageSize} from '../panes/imageSize.ts';

/**
 * The page with each of its pictures as this browser's encoder writes it: a baseline JPEG of the same pixels, of about
 * as many bytes. What is no bitmap, or cannot be decoded, stays as it is.
 * @throws the signal's reason when it is aborted.
 */
export async function baselineTwin(page: Page, signal: AbortSignal): Promise<Page> {
  const objects: PageObject[] = [];
  for (const object of page.objects) {
    signal.throwIfAborted();
    objects.push(await twinOf(object));
  }
  return {...page, objects};
}

async function twinOf(object: PageObject): Promise<PageObject> {
  const {body} = object;
  if (body === null || imageSize(body) === undefined) return object;
  const bitmap = await createImageBitmap(new Blob([body as Uint8Array<ArrayBuffer>])).catch(() => null);
  if (bitmap === null) return object;
  const jpeg = encodedTo(bitmap, body.length);
  bitmap.close();
  return isBaseline(jpeg) ? {...object, contentType: 'image/jpeg', body: jpeg} : object;
}

/** The JPEG whose size is nearest, by halving what its quality can be. */
function encodedTo(bitmap: ImageBitmap, bytes: number): Uint8Array {
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext('2d', {alpha: false});
  if (context === null) throw new Error('no canvas can be drawn on');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  let nearest = new Uint8Array();
  for (let [low, high, step] = [0, 1, 0]; step < STEPS; step++) {
    const quality = (low + high) / 2;
    // not convertToBlob: Chromium 156 puts off a third one for as long as nothing is painted
    const [, base64 = ''] = canvas.toDataURL('image/jpeg', quality).split(',');
    const jpeg = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    if (Math.abs(jpeg.length - bytes) < Math.abs(nearest.length - bytes)) nearest = jpeg;
    if (jpeg.length > bytes) high = quality;
    else low = quality;
  }
  return nearest;
}

/** To a hundredth of the quality, which encoders take in such steps. */
const STEPS = 7;

/** Whether the frame of a JPEG is a sequential one: SOF0, of 8 bits a sample (ITU-T T.81 §B.2.2). */
export function isBaseline(jpeg: Uint8Array): boolean {
  let at = 2;
  while (jpeg[0] === 0xff && jpeg[1] === 0xd8 && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1] ?? 0;
    // SOFn, but for DHT, JPG and DAC, which stand among them
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return marker === 0xc0;
    at += 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0);
  }
  return false;
}
