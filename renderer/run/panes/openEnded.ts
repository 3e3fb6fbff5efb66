import type {PictureFile} from './decodePicture.ts';

/**
 * Whether the first bytes of a picture are painted only by a decoder that awaits more: WebP, whose prefixes Chromium
 * refuses as files that have ended. Without such a decoder (Chromium before 94, pages that are no secure context) a
 * WebP is shown when it is whole.
 */
export function wantsOpenEnd({body}: PictureFile, bytes: number): boolean {
  return bytes < body.length && isWebp(body) && 'ImageDecoder' in globalThis;
}

/**
 * What Chromium has painted of a picture whose first bytes have come, at the picture's own size; transparent where
 * nothing is yet. Undefined if not even its header has come.
 */
export async function openEndedPicture({body}: PictureFile, bytes: number): Promise<OffscreenCanvas | undefined> {
  try {
    const {image} = await decodedSoFar(body.slice(0, bytes));
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    image.close();
    return canvas;
  } catch {
    return undefined;
  }
}

/**
 * A decoder of an open stream does not say that it has nothing to show yet. So it is asked when it has taken all bytes,
 * and the stream ends behind that question: the answer is what it has by then, or that it fails at the end. Chromium
 * hands bytes, question and end to one thread, in this order.
 */
function decodedSoFar(prefix: Uint8Array): Promise<ImageDecodeResult> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (isSent) {
        const asked = decoder.decode({completeFramesOnly: false});
        asked.then(resolve, reject).finally(() => decoder.close());
        controller.close();
      } else {
        isSent = true;
        controller.enqueue(prefix);
      }
    };
    // only what is read is asked for
    const data = new ReadableStream<Uint8Array>({pull}, {highWaterMark: 0});
    const decoder = new ImageDecoder({data, type: WEBP});
    decoder.completed.catch(reject);
  });
}

/** RFC 9649 §2.4. */
function isWebp(body: Uint8Array): boolean {
  const mark = String.fromCharCode(...body.subarray(0, 12));
  return mark.startsWith('RIFF') && mark.endsWith('WEBP');
}

const WEBP = 'image/webp';
