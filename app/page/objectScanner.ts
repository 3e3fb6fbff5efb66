import {HtmlReader} from './htmlReader.ts';
import type {FoundObject} from './sheetObjects.ts';

// Every host has TextDecoder (WHATWG Encoding), but app/ is compiled without the types of any host.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array, options?: {stream: boolean}): string};

/** Finds a page's objects as the bytes of its HTML arrive. See {@link HtmlReader}. */
export class ObjectScanner {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #reader: HtmlReader;

  /** `indexUrl` is the URL of the HTML. Relative URLs are resolved against it. */
  constructor(indexUrl: string) {
    this.#reader = new HtmlReader(indexUrl);
  }

  /** Takes the next bytes of the HTML. Returns the new objects that are complete with them. */
  push(bytes: Uint8Array): readonly FoundObject[] {
    return this.#reader.write(this.#decoder.decode(bytes, {stream: true}));
  }
}
