import {hasTooManyPixels} from '../../app/page/imageSize.ts';
import {holdsHugePicture} from '../../app/page/inPlacePicture.ts';
import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';

/** Decodes a prefix of an image: its address to show, or undefined if nothing of it can be shown yet. */
export type Decode = (prefix: Uint8Array, contentType: string) => Promise<string | undefined>;

type DecodePrefix = (prefix: Uint8Array) => Promise<string | undefined>;

/** What is to be seen of an object: so many bytes of its body, or that it failed before the first. */
export type Extent = number | 'failed';

/**
 * One object's picture in its boxes. It always goes on to the prefix that was wanted last, one decode at a
 * time; a box keeps what it shows until the next picture is ready.
 */
export class ObjectImage {
  readonly #body: Uint8Array;
  readonly #decode: DecodePrefix;
  readonly #show: (address: string, bytes: number) => Promise<void>;
  readonly #addresses = new Map<number, string>();
  #wanted: Extent = 0;
  #shown: Extent | undefined;
  #work: Promise<void> | undefined;
  /** How often the boxes have changed. */
  #changes = 0;

  /** `show` puts a picture of `bytes` bytes into the object's boxes. */
  constructor(
    body: Uint8Array,
    decode: DecodePrefix,
    show: (address: string, bytes: number) => Promise<void>,
  ) {
    this.#body = body;
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
    const undecodable = bytes === this.#body.length ? BROKEN_IMAGE : EMPTY_IMAGE;
    const address = known ?? (await this.#decode(this.#body.subarray(0, bytes))) ?? undecodable;
    this.#addresses.set(bytes, address);
    for (const [oldest, old] of this.#addresses) {
      if (this.#addresses.size <= MOST_PICTURES) break;
      this.#addresses.delete(oldest);
      revoke(old);
    }
    return address;
  }
}

/** A blob of the prefix, once it is known to decode (progressive JPEG and interlaced PNG do from their header on). */
export async function decodePrefix(prefix: Uint8Array, contentType: string): Promise<string | undefined> {
  return (await decodeImage(prefix, contentType))?.address;
}

/**
 * As {@link decodePrefix}, but its picture is painted in one way only. Chromium decodes a JPEG smaller than it is
 * where it is shown smaller, unless it has just decoded it whole: the pixels are others then.
 */
export async function decodeToPixels(prefix: Uint8Array, contentType: string): Promise<string | undefined> {
  const decoded = await decodeImage(prefix, contentType);
  if (decoded === undefined) return undefined;
  const {image, address} = decoded;
  // a drawing has no pixels of its own
  if (contentType.startsWith(SVG)) return address;
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  URL.revokeObjectURL(address);
  const png = URL.createObjectURL(await canvas.convertToBlob());
  const shown = new Image();
  shown.src = png;
  await shown.decode();
  return png;
}

/** A prefix that decodes, as a picture and its address, which is to be revoked; undefined for one that does not. */
async function decodeImage(
  prefix: Uint8Array,
  contentType: string,
): Promise<{readonly image: HTMLImageElement; readonly address: string} | undefined> {
  const type = imageType(contentType);
  const isHuge = type === SVG ? holdsHugePicture(new TextDecoder().decode(prefix)) : hasTooManyPixels(prefix);
  if (isHuge) return undefined;
  const address = URL.createObjectURL(new Blob([prefix as Uint8Array<ArrayBuffer>], {type}));
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
    return {image, address};
  } catch {
    URL.revokeObjectURL(address);
    return undefined;
  }
}

/** What a browser has to be told: of all but drawings it looks at the bytes. */
export function imageType(contentType: string): string {
  return contentType.startsWith(SVG) ? SVG : '';
}

const SVG = 'image/svg+xml';

function revoke(address: string): void {
  if (address.startsWith('blob:')) URL.revokeObjectURL(address);
}

/** Prefixes of one object that scrubbing back finds ready: as many packets as 90 KB take. */
const MOST_PICTURES = 64;
