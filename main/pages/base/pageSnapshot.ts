import {createHash} from 'node:crypto';
import type {ConvertedPictures} from '../../../app/page/conversion.ts';
import {layoutOf} from '../../../app/page/layouts.ts';
import type {ConvertedPage, Page, PageSnapshot} from '../../../app/page/page.ts';

/**
 * Takes a snapshot of a page, with a hash of everything that the page loads. The page's name is not part of the hash.
 * The bodies are copied to shared memory, which all threads can read. The web edition runs this function in a browser.
 * There, shared memory is usually not available, and the bodies are not copied.
 */
export function takeSnapshot(page: Page, leftOut: readonly string[]): PageSnapshot {
  const hash = createHash('sha256');
  const {headerBytes, requestBytes} = page;
  const objects = page.objects.map(object => ({...object, body: object.body && shared(object.body)}));
  const heads = objects.map(({url, contentType, body}) => [url, contentType, body?.length ?? null]);
  hash.update(JSON.stringify({headerBytes, requestBytes, objects: heads}));
  for (const {body} of objects) if (body !== null) hash.update(body);
  if (page.recording !== undefined) hash.update(JSON.stringify(page.recording));
  const digest = hash.digest('hex');
  const layout = layoutOf(digest);
  return {...page, objects, hash: digest, leftOut, ...(layout !== undefined && {layout})};
}

/** Adds converted pictures to a page. The hash of the result covers the page and the converted pictures. */
export function withConverted(page: PageSnapshot, made: readonly ConvertedPictures[]): PageSnapshot {
  const hash = createHash('sha256').update(page.hash);
  const converted = made.map(({conversion, objects}) => {
    const heads = objects.map(object => object && [object.contentType, object.body.length]);
    hash.update(JSON.stringify([conversion, heads]));
    for (const object of objects) if (object !== null) hash.update(object.body);
    return {conversion, objects: objects.map(object => object && {...object, body: shared(object.body)})};
  });
  const conversions = converted.map(({conversion}) => conversion);
  return {...page, hash: hash.digest('hex'), conversions, converted};
}

/** Copies a page to memory that is not shared, because shared memory cannot be sent to another process. */
export function copyPage(page: PageSnapshot): PageSnapshot {
  const {converted, ...served} = page;
  const objects = served.objects.map(copyBody);
  if (converted === undefined) return {...served, objects};
  const copies = converted.map(each => ({
    ...each,
    objects: each.objects.map(object => object && copyBody(object)),
  }));
  return {...served, objects, converted: copies};
}

/** Total size of all bodies. */
export function bytesOf({objects, converted = []}: ConvertedPage): number {
  return [...objects, ...converted.flatMap(each => each.objects)].reduce(
    (sum, object) => sum + (object?.body?.length ?? 0),
    0,
  );
}

function copyBody<O extends {readonly body: Uint8Array | null}>(object: O): O {
  return {...object, body: object.body && new Uint8Array(object.body)};
}

function shared(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer === 'undefined' || bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
