import {HtmlReader} from './htmlReader.ts';
import type {FoundObject} from './sheetObjects.ts';

// WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array, options?: {stream: boolean}): string};

/** Finds a page's objects as the bytes of its HTML arrive: see {@link HtmlReader}. */
export class ObjectScanner {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #reader: HtmlReader;

  /** `indexUrl` is where the HTML is from: relative URLs start there. */
  constructor(indexUrl: string) {
    this.#reader = new HtmlReader(indexUrl);
  }

  /** Takes the next bytes of the HTML; gives the objects that are complete with them and new. */
  push(bytes: Uint8Array): readonly FoundObject[] {
    return this.#reader.write(this.#decoder.decode(bytes, {stream: true}));
  }
}
