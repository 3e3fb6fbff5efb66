import {bytesOf} from '../base/bytes.ts';
import {INDEX_URL, type Page, type PageObject} from './page.ts';

/** A page of equal objects with exact sizes, as in the loads of the papers (docs/papers.md). Sizes are in bytes. */
export interface SyntheticSettings {
  /** Size of index.html with its header. */
  readonly indexBytes: number;
  readonly objects: number;
  /** Size of each object's body. */
  readonly objectBytes: number;
  /** Size of each response's header. */
  readonly headerBytes: number;
  /** Size of each GET. */
  readonly requestBytes: number;
}

/**
 * Makes a page of `objects` objects of equal size. Their tags are spread evenly over the HTML.
 * @throws RangeError if index.html is too small to name the objects, which is a bug because parseScenario checks this
 */
export function syntheticPage(settings: SyntheticSettings): Page {
  const bodyBytes = settings.indexBytes - settings.headerBytes;
  const least = leastIndexBodyBytes(settings.objects);
  if (bodyBytes < least) throw new RangeError(`invalid indexBytes: ${settings.indexBytes} (body at least ${least})`);
  const index: PageObject = {
    url: INDEX_URL,
    contentType: 'text/html',
    body: bytesOf(html(settings.objects, bodyBytes)),
  };
  const objects = Array.from({length: settings.objects}, (_, i): PageObject => {
    return {
      url: objectPath(i + 1),
      contentType: 'application/octet-stream',
      body: filler(settings.objectBytes, i + 1),
    };
  });
  return {
    name: 'synthetic',
    objects: [index, ...objects],
    headerBytes: settings.headerBytes,
    requestBytes: settings.requestBytes,
  };
}

/** Returns the smallest body of index.html that can name `objects` objects, in bytes. */
export function leastIndexBodyBytes(objects: number): number {
  return SHELL_BYTES + TAG_BYTES * objects;
}

function html(objects: number, bytes: number): string {
  let text = '<!DOCTYPE html><title>synthetic</title>\n';
  const spread = bytes - leastIndexBodyBytes(objects);
  for (let i = 1; i <= objects; i++) {
    text += `<img src=${objectPath(i)}>\n`;
    const target = leastIndexBodyBytes(i) + Math.floor((spread * i) / (objects + 1));
    text = pad(text, target);
  }
  return pad(text, bytes);
}

function objectPath(i: number): string {
  return `/o/${i}`;
}

function pad(text: string, characters: number): string {
  return characters > text.length ? `${text}${'.'.repeat(characters - text.length - 1)}\n` : text;
}

/** Returns the body of an object. The bodies of different objects differ, so that a mix-up is noticed. */
function filler(bytes: number, object: number): Uint8Array {
  const body = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) body[i] = i * 31 + object * 17 + (i >> 8);
  return body;
}

/** Length of `<!DOCTYPE html><title>synthetic</title>` and a line end. */
const SHELL_BYTES = 40;
/** Length of the longest tag, `<img src=/o/1000>`, and a line end. */
const TAG_BYTES = 18;
