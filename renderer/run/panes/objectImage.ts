import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';

/** Decodes so many bytes of one image: its address to show, or undefined if nothing of it can be shown yet. */
type DecodeBytes = (bytes: number) => Promise<string | undefined>;

/** What is to be seen of an object: so many bytes of its body, or that it failed before the first. */
export type Extent = number | 'failed';

/**
 * One object's picture in its boxes. It always goes on to the prefix that was wanted last, one decode at a
 * time; a box keeps what it shows until the next picture is ready.
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

  /** `show` puts a picture of `bytes` bytes into the object's boxes. */
  constructor(wholeBytes: number, decode: DecodeBytes, show: (address: string, bytes: number) => Promise<void>) {
    this.#wholeBytes = wholeBytes;
    this.#decode = decode;
    this.#show = show;
  }

  /** Kept when the boxes show exactly `extent`, or what was wanted after that. */
  want(extent: Extent): Promise<void> {
    this.#wanted = extent;
    if (this.#shown !== extent) this.#work ??= this.#catchUp();
    return this.#work ?? Promise.resolve();
  }

  /** The boxes are others now: they get the picture again. */
  forget(): void {
    this.#changes += 1;
    this.#shown = undefined;
  }

  /** Gives the pictures' memory back. */
  release(): void {
    for (const address of this.#addresses.values()) revoke(address);
    this.#addresses.clear();
  }

  async #catchUp(): Promise<void> {
    while (this.#shown !== this.#wanted) {
      const [extent, changes] = [this.#wanted, this.#changes];
      if (extent === 'failed') await this.#show(BROKEN_IMAGE, 0);
      else await this.#show(await this.#addressOf(extent), extent);
      // boxes that came while the others got their picture have none
      if (changes === this.#changes) this.#shown = extent;
    }
    this.#work = undefined;
  }

  async #addressOf(bytes: number): Promise<string> {
    if (bytes === 0) return EMPTY_IMAGE;
    const known = this.#addresses.get(bytes);
    // last in the order of insertion: used last
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

/** Prefixes of one object that scrubbing back finds ready: as many packets as 90 KB take. */
const MOST_PICTURES = 64;
