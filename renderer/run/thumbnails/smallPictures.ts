import type {Page} from '../../../app/page/page.ts';
import {decodePrefix} from '../panes/decodePicture.ts';

/** A picture that is being decoded or has been decoded. */
interface Decoding {
  readonly ended: Promise<void>;
  isEnded: boolean;
  /** Undefined until it is decoded, or if nothing can be shown. */
  picture: OffscreenCanvas | undefined;
}

/**
 * Small pictures for thumbnails, decoded from the first bytes of one page's pictures. A thumbnail is so small that a
 * few steps of a picture's bytes are enough. All times, panes and runs share what is decoded for a step.
 */
class SmallPictures {
  readonly #page: Page;
  readonly #pictures = new Map<string, Decoding>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** What is decoded of the first bytes of a picture; undefined if it is not decoded yet, or nothing can be shown. */
  known(object: number, bytes: number): OffscreenCanvas | undefined {
    return this.#pictures.get(this.#keyOf(object, bytes))?.picture;
  }

  /** Whether nothing is left to decode for these bytes. */
  has(object: number, bytes: number): boolean {
    const isEnded = this.#pictures.get(this.#keyOf(object, bytes))?.isEnded ?? false;
    return isEnded || stepOf(this.#sizeOf(object), bytes) === 0;
  }

  /** Decodes the first bytes of a picture, for a box of this size in px. */
  decode(object: number, bytes: number, width: number, height: number): Promise<void> {
    const key = this.#keyOf(object, bytes);
    const known = this.#pictures.get(key);
    if (known !== undefined) return known.ended;
    const ended = this.#decoded(object, bytes, width, height).then(picture => {
      Object.assign(decoding, {isEnded: true, picture});
    });
    const decoding: Decoding = {ended, isEnded: false, picture: undefined};
    this.#pictures.set(key, decoding);
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= MOST_PICTURES) break;
      this.#pictures.delete(oldest);
    }
    return ended;
  }

  /** Resolves with undefined if nothing can be shown. */
  async #decoded(object: number, bytes: number, width: number, height: number): Promise<OffscreenCanvas | undefined> {
    const {body, contentType} = this.#page.objects[object] ?? {body: null, contentType: ''};
    if (body === null) return undefined;
    const shown = Math.floor((stepOf(body.length, bytes) / STEPS) * body.length);
    const address = await decodePrefix({body, contentType}, shown);
    if (address === undefined) return undefined;
    try {
      return await small(address, width, height);
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  #keyOf(object: number, bytes: number): string {
    return `${object} ${stepOf(this.#sizeOf(object), bytes)}`;
  }

  #sizeOf(object: number): number {
    return this.#page.objects[object]?.body?.length ?? 0;
  }
}

/** How many steps of a picture's bytes thumbnails distinguish. */
const STEPS = 16;

/**
 * The step that the first bytes of a picture reach, 0 to {@link STEPS}. It is rounded down, so that only a complete
 * picture is shown complete.
 */
export function stepOf(size: number, bytes: number): number {
  return size === 0 ? 0 : Math.floor((STEPS * Math.min(bytes, size)) / size);
}

/** The small pictures of a page. */
export function smallPicturesOf(page: Page): SmallPictures {
  const pictures = ofPages.get(page) ?? new SmallPictures(page);
  ofPages.set(page, pictures);
  return pictures;
}

const ofPages = new WeakMap<Page, SmallPictures>();

/** Draws a picture so that it covers a canvas of this size. Undefined if the browser cannot decode it. */
async function small(address: string, width: number, height: number): Promise<OffscreenCanvas | undefined> {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    return undefined;
  }
  const canvas = new OffscreenCanvas(Math.max(Math.round(width), 1), Math.max(Math.round(height), 1));
  const {naturalWidth, naturalHeight} = image;
  const scale = Math.max(canvas.width / (naturalWidth || 1), canvas.height / (naturalHeight || 1));
  const [w, h] = naturalWidth === 0 ? [canvas.width, canvas.height] : [naturalWidth * scale, naturalHeight * scale];
  canvas.getContext('2d')?.drawImage(image, (canvas.width - w) / 2, (canvas.height - h) / 2, w, h);
  return canvas;
}

/** How many small pictures of a page are kept. */
const MOST_PICTURES = 1000;
