import type {Page} from '../../../app/page/page.ts';
import {decodePrefix} from '../panes/decodePicture.ts';

/** The first bytes of the pictures of one page, decoded and made small for thumbnails. Each is decoded once. */
class SmallPictures {
  readonly #page: Page;
  readonly #pictures = new Map<string, OffscreenCanvas | undefined>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** A picture that was decoded already; undefined if it was not, or if nothing can be shown of it. */
  known(object: number, bytes: number): OffscreenCanvas | undefined {
    return this.#pictures.get(`${object} ${bytes}`);
  }

  /** Whether nothing is left to decode for these bytes. */
  has(object: number, bytes: number): boolean {
    return bytes === 0 || this.#pictures.has(`${object} ${bytes}`);
  }

  /** Decodes the first bytes of a picture, for a box of this size in px. */
  async decode(object: number, bytes: number, width: number, height: number): Promise<void> {
    const {body, contentType} = this.#page.objects[object] ?? {body: null, contentType: ''};
    const address = body === null ? undefined : await decodePrefix({body, contentType}, bytes);
    this.#keep(`${object} ${bytes}`, address === undefined ? undefined : await small(address, width, height));
    if (address !== undefined) URL.revokeObjectURL(address);
  }

  #keep(key: string, picture: OffscreenCanvas | undefined): void {
    this.#pictures.set(key, picture);
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= MOST_PICTURES) break;
      this.#pictures.delete(oldest);
    }
  }
}

/** The small pictures of a page. */
export function smallPicturesOf(page: Page): SmallPictures {
  const pictures = ofPages.get(page) ?? new SmallPictures(page);
  ofPages.set(page, pictures);
  return pictures;
}

const ofPages = new WeakMap<Page, SmallPictures>();

/** Draws a picture so that it covers a canvas of this size. */
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

/** How many small pictures of a page are kept: those of several runs at ten times. */
const MOST_PICTURES = 1000;
