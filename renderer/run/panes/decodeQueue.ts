import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';

/**
 * Decodes the first `bytes` bytes of one image. Resolves with an address to show, or undefined if they cannot be shown.
 */
type DecodeBytes = (bytes: number) => Promise<string | undefined>;

/** What to show of an object: a number of bytes of its body, or that it failed before its first byte arrived. */
export type Extent = number | 'failed';

/**
 * The picture of one object, in all of the object's boxes (the elements of the page that show the object). It decodes
 * one prefix at a time, and then continues with the prefix that was requested last. A box keeps its content until the
 * next picture is ready.
 */
export class ObjectImage {
  readonly #wholeBytes: number;
  readonly #decode: DecodeBytes;
  readonly #show: (address: string, bytes: number) => Promise<void>;
  readonly #addresses = new Map<number, string>();
  #wanted: Extent = 0;
  #shown: Extent | undefined;
  #work: Promise<void> | undefined;
  /** How often the boxes have changed. */
  #changes = 0;

  /** `show` puts the picture of the first `bytes` bytes into the object's boxes. */
  constructor(wholeBytes: number, decode: DecodeBytes, show: (address: string, bytes: number) => Promise<void>) {
    this.#wholeBytes = wholeBytes;
    this.#decode = decode;
    this.#show = show;
  }

  /** Resolves when the boxes show exactly `extent`, or an extent that was requested later. */
  want(extent: Extent): Promise<void> {
    this.#wanted = extent;
    if (this.#shown !== extent) this.#work ??= this.#catchUp();
    return this.#work ?? Promise.resolve();
  }

  /** Must be called when the boxes have changed. They then get the picture again. */
  forget(): void {
    this.#changes += 1;
    this.#shown = undefined;
  }

  /** Releases the memory of the pictures. */
  release(): void {
    for (const address of this.#addresses.values()) revoke(address);
    this.#addresses.clear();
  }

  async #catchUp(): Promise<void> {
    while (this.#shown !== this.#wanted) {
      const [extent, changes] = [this.#wanted, this.#changes];
      if (extent === 'failed') await this.#show(BROKEN_IMAGE, 0);
      else await this.#show(await this.#addressOf(extent), extent);
      // boxes that were added meanwhile do not have the picture yet
      if (changes === this.#changes) this.#shown = extent;
    }
    this.#work = undefined;
  }

  async #addressOf(bytes: number): Promise<string> {
    if (bytes === 0) return EMPTY_IMAGE;
    const known = this.#addresses.get(bytes);
    // moved to the end, so that the first address is the least recently used
    this.#addresses.delete(bytes);
    const undecodable = bytes === this.#wholeBytes ? BROKEN_IMAGE : EMPTY_IMAGE;
    const address = known ?? (await this.#decode(bytes)) ?? undecodable;
    this.#addresses.set(bytes, address);
    for (const [oldest, old] of this.#addresses) {
      if (this.#addresses.size <= MOST_PICTURES) break;
      this.#addresses.delete(oldest);
      revoke(old);
    }
    return address;
  }
}

function revoke(address: string): void {
  if (address.startsWith('blob:')) URL.revokeObjectURL(address);
}

/** How many decoded prefixes of one object are kept for seeking back: as many as an object of 90 KB has packets. */
const MOST_PICTURES = 64;
