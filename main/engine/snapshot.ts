import {createHash} from 'node:crypto';
import type {Page, PageSnapshot} from '../../app/page/page.ts';

/** A page as it is now, with the hash of what is loaded: its name is not. Its bodies are shared by threads. */
export function takeSnapshot(page: Page, leftOut: readonly string[]): PageSnapshot {
  const hash = createHash('sha256');
  const {headerBytes, requestBytes} = page;
  const objects = page.objects.map(object => ({...object, body: object.body && shared(object.body)}));
  const heads = objects.map(({url, contentType, body}) => [url, contentType, body?.length ?? null]);
  hash.update(JSON.stringify({headerBytes, requestBytes, objects: heads}));
  for (const {body} of objects) if (body !== null) hash.update(body);
  return {...page, objects, hash: hash.digest('hex'), leftOut};
}

/** With bodies of its own: what leaves the process cannot be shared. */
export function copyPage(page: PageSnapshot): PageSnapshot {
  const objects = page.objects.map(object => ({...object, body: object.body && new Uint8Array(object.body)}));
  return {...page, objects};
}

/** The bytes of all its bodies. */
export function bytesOf(page: Page): number {
  return page.objects.reduce((sum, {body}) => sum + (body?.length ?? 0), 0);
}

function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
