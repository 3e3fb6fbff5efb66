import type {PictureFile} from './decodePicture.ts';

/**
 * Whether the first bytes of a picture can only be painted by a decoder that waits for more bytes. This is true for
 * WebP, because Chromium refuses a prefix as a file. Without such a decoder (Chromium before 94, or a page that is not
 * a secure context) a WebP is shown only when it is complete.
 */
export function wantsOpenEnd({body}: PictureFile, bytes: number): boolean {
  return bytes < body.length && isWebp(body) && 'ImageDecoder' in globalThis;
}

/**
 * What Chromium paints of the first bytes of a picture, at the picture's own size. It is transparent where no data has
 * arrived. Undefined if nothing can be decoded yet.
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
 * Decodes as much of a prefix as possible. Rejects if nothing can be decoded. A decoder of an open stream does not
 * report that it has nothing to show yet. So it gets all bytes, then a request to decode, and then the end of the
 * stream. It answers with what it has by then, or with an error. Chromium passes bytes, request and end to one thread
 * in this order.
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
    // with this limit, `pull` is called only when the decoder reads
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
