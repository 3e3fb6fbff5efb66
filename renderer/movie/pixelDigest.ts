import type {Size} from '../../app/telling/movie/options.ts';
import type {Area} from './changedAreas.ts';

/**
 * Divides a picture into tiles, row by row. Each tile is drawn separately, so that its pixels depend on no other tile.
 */
export function tilesOf({width, height}: Size): readonly Area[] {
  const tiles: Area[] = [];
  for (let top = 0; top < height; top += TILE.height) {
    for (let left = 0; left < width; left += TILE.width) {
      const [right, bottom] = [Math.min(left + TILE.width, width), Math.min(top + TILE.height, height)];
      tiles.push({left, top, right, bottom});
    }
  }
  return tiles;
}

/**
 * The size of a tile, px. It is a compromise: smaller tiles need more calls, and larger tiles redraw more pixels that
 * have not changed.
 */
const TILE = {width: 160, height: 120};

export function overlaps(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** A digest of a canvas's pixels: the SHA-256 of the SHA-256 digests of its tiles. */
export class PixelDigest {
  readonly #context: CanvasRenderingContext2D;
  readonly #digests = new Map<Area, Promise<ArrayBuffer>>();

  constructor(context: CanvasRenderingContext2D, tiles: readonly Area[]) {
    this.#context = context;
    // the digest depends on the order of the tiles, and a map keeps the order of first insertion
    for (const tile of tiles) this.#digests.set(tile, Promise.resolve(new ArrayBuffer()));
  }

  /**
   * Reads the pixels of these tiles, which must be all that were drawn since the last call. When the call returns, the
   * pixels have been read, and the canvas may be drawn again. The promise resolves with the digest of the whole canvas,
   * in hex.
   */
  take(tiles: readonly Area[]): Promise<string> {
    for (const tile of tiles) this.#digests.set(tile, this.#digestOf(tile));
    return sumOf(Array.from(this.#digests.values()));
  }

  #digestOf({left, top, right, bottom}: Area): Promise<ArrayBuffer> {
    const {data} = this.#context.getImageData(left, top, right - left, bottom - top);
    return crypto.subtle.digest('SHA-256', data);
  }
}

async function sumOf(digests: readonly Promise<ArrayBuffer>[]): Promise<string> {
  const all = await new Blob(await Promise.all(digests)).arrayBuffer();
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', all));
  return Array.from(sum, byte => byte.toString(16).padStart(2, '0')).join('');
}
