import type {PictureFile} from './decodePicture.ts';

/**
 * Whether the first bytes of a picture must be decoded by an `ImageDecoder`, from a stream that has not ended. This is
 * true for WebP: if Chromium gets the first bytes of a WebP as a whole file, it refuses to decode them. Where there is
 * no `ImageDecoder` (Chromium before 94, or a page that is not a secure context), this returns false, and a WebP is
 * shown only when it is complete.
 */
export function wantsOpenEnd({body}: PictureFile, bytes: number): boolean {
  return bytes < body.length && isWebp(body) && 'ImageDecoder' in globalThis;
}

/**
 * What Chromium paints of the first bytes of a picture, at the picture's own size. It is transparent where no data has
 * arrived. Undefined if nothing can be decoded.
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
 * Decodes as much of a prefix as possible. Rejects if nothing can be decoded. While its stream is open, a decoder that
 * has nothing to show yet does not answer a request to decode. So the decoder gets all bytes, then the request, and
 * then the end of the stream. At the end it answers with what it has decoded, or with an error. Chromium passes bytes,
 * request and end to one thread in this order.
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

/** Whether a file is a WebP (RFC 9649 §2.4). */
function isWebp(body: Uint8Array): boolean {
  const mark = String.fromCharCode(...body.subarray(0, 12));
  return mark.startsWith('RIFF') && mark.endsWith('WEBP');
}

const WEBP = 'image/webp';
