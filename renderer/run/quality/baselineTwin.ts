import {imageSize} from '../../../app/page/imageSize.ts';
import type {Page, PageObject} from '../../../app/page/page.ts';
import type {Slices} from '../../kit/slices.ts';
import {LARGEST_PX} from './measureQuality.ts';
import {REFERENCE_SCREEN} from './referenceScreen.ts';

interface TwinOptions {
  readonly signal: AbortSignal;
  readonly slices: Slices;
}

/**
 * Returns the baseline twin of a page. This is the same page, but this browser has encoded each picture as a baseline
 * JPEG with the same pixels and about as many bytes. A picture with more pixels than the reference screen (1024 × 768)
 * becomes smaller, and has fewer bytes in proportion. An object stays unchanged if it is not a bitmap, if it cannot be
 * decoded, if it is too large to be measured, or if this browser does not encode it as a baseline JPEG or only as one
 * with at least twice as many bytes. The work is done in slices. The longest slice encodes as many pixels as the
 * reference screen has.
 * @throws the signal's reason when the signal is aborted
 */
export async function baselineTwin(page: Page, {signal, slices}: TwinOptions): Promise<Page> {
  const objects: PageObject[] = [];
  for (const object of page.objects) {
    objects.push(await twinOf(object, {signal, slices}));
    signal.throwIfAborted();
  }
  return {...page, objects};
}

async function twinOf(object: PageObject, {signal, slices}: TwinOptions): Promise<PageObject> {
  const {body} = object;
  const size = body === null ? undefined : imageSize(body);
  if (body === null || size === undefined || size.width * size.height > LARGEST_PX) return object;
  const bitmap = await createImageBitmap(new Blob([body as Uint8Array<ArrayBuffer>])).catch(() => null);
  if (bitmap === null) return object;
  const share = Math.min(MOST_PX / (bitmap.width * bitmap.height), 1);
  const canvas = await slices(() => drawn(bitmap, Math.sqrt(share)));
  bitmap.close();
  const jpeg = await encodedTo(canvas, body.length * share, {signal, slices});
  return isBaseline(jpeg) ? {...object, contentType: 'image/jpeg', body: jpeg} : object;
}

function drawn(bitmap: ImageBitmap, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(Math.floor(bitmap.width * scale), 1);
  canvas.height = Math.max(Math.floor(bitmap.height * scale), 1);
  const context = canvas.getContext('2d', {alpha: false});
  if (context === null) throw new Error('this browser gives no 2D context of a canvas');
  context.imageSmoothingQuality = 'medium';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * The JPEG whose size is nearest to `bytes`, found by bisection of the encoder's quality. Empty if every JPEG that was
 * tried has at least twice as many bytes.
 */
async function encodedTo(canvas: HTMLCanvasElement, bytes: number, {signal, slices}: TwinOptions): Promise<Uint8Array> {
  let nearest = '';
  for (let [low, high, step] = [0, 1, 0]; step < STEPS; step++) {
    const quality = (low + high) / 2;
    // not convertToBlob, because in Chromium 156 its third call waits until something is painted
    const [, base64 = ''] = (await slices(() => canvas.toDataURL('image/jpeg', quality))).split(',');
    signal.throwIfAborted();
    if (Math.abs(bytesOf(base64) - bytes) < Math.abs(bytesOf(nearest) - bytes)) nearest = base64;
    if (bytesOf(base64) > bytes) high = quality;
    else low = quality;
  }
  return slices(() => Uint8Array.from(atob(nearest), letter => letter.charCodeAt(0)));
}

/** The number of bytes after decoding (RFC 4648 §4). */
function bytesOf(base64: string): number {
  return (base64.replace(/=+$/, '').length * 3) >> 2;
}

/** The number of pixels of the reference screen. More pixels of a picture cannot be seen on that screen. */
const MOST_PX = REFERENCE_SCREEN.width * REFERENCE_SCREEN.height;

/** This number of steps finds the quality to one hundredth, which is the resolution of encoders. */
const STEPS = 7;

/** Whether a JPEG is a baseline JPEG, whose frame begins with SOF0 (ITU-T T.81 §B.2.2). */
export function isBaseline(jpeg: Uint8Array): boolean {
  let at = 2;
  while (jpeg[0] === 0xff && jpeg[1] === 0xd8 && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1] ?? 0;
    // all SOFn markers; DHT, JPG and DAC have numbers in the same range
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return marker === 0xc0;
    at += 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0);
  }
  return false;
}
