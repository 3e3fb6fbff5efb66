import type {Size} from '../../app/telling/movie/options.ts';
import {type Area, ChangedAreas} from './changedAreas.ts';
import {overlaps, PixelDigest, tilesOf} from './pixelDigest.ts';

/**
 * A picture that consists of HTML elements. Chromium paints them onto the canvas element that contains them
 * (HTML-in-Canvas, github.com/WICG/html-in-canvas), so that no pixels leave the page. The canvas is divided into tiles
 * that are always drawn one by one, even if all have changed. Otherwise pixels would depend on which tiles are drawn
 * together, because the pixels of a shadow or a shrunk picture differ by 1 of 255 where it is clipped.
 *
 * The result differs from a screenshot: for a screen, Chromium uses other tiles, and dithers gradients.
 */
export class DrawnPicture {
  readonly canvas: HTMLCanvasElement;
  readonly #context: PaintingContext;
  readonly #picture: HTMLElement;
  readonly #changes: ChangedAreas;
  readonly #tiles: readonly Area[];
  readonly #pixels: PixelDigest;
  /** Whether Chromium has reported a change since the canvas was last drawn. */
  #hasChanged = false;
  #onPaint: (() => void) | undefined;
  #digest: Promise<string> | undefined;

  private constructor(picture: HTMLElement, {width, height}: Size) {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, {className: 'drawn', width, height});
    canvas.setAttribute('layoutsubtree', '');
    const context = canvas.getContext('2d', {alpha: false, willReadFrequently: true});
    if (context === null) throw new Error('this browser gives no 2D context of a canvas');
    picture.replaceWith(canvas);
    canvas.append(picture);
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    // Chromium paints at times of its own choice, and reports each change once
    (canvas as PaintedCanvas).onpaint = ({changedElements}) => {
      this.#hasChanged ||= changedElements.length > 0;
      this.#onPaint?.();
      this.#onPaint = undefined;
    };
    this.canvas = canvas;
    this.#context = context as PaintingContext;
    this.#picture = picture;
    this.#changes = new ChangedAreas(picture);
    this.#tiles = tilesOf({width, height});
    this.#pixels = new PixelDigest(context, this.#tiles);
  }

  /**
   * Puts a canvas around the picture, which must still be empty. Returns undefined if this browser cannot paint onto
   * the canvas. If a trial with the canvas in the page showed this, the page can no longer be used.
   */
  static async around(picture: HTMLElement, size: Size): Promise<DrawnPicture | undefined> {
    if (!('drawElementImage' in CanvasRenderingContext2D.prototype)) return undefined;
    const drawn = new DrawnPicture(picture, size);
    return (await drawn.#works().catch(() => false)) ? drawn : undefined;
  }

  /**
   * Draws the picture in its current state onto the canvas. Resolves when it is drawn, with the digest of the canvas's
   * pixels, which may be computed later.
   */
  async draw(): Promise<{readonly digest: Promise<string>}> {
    await this.#painted(() => {
      if (this.#digest !== undefined && !this.#hasChanged) return;
      this.#hasChanged = false;
      const areas = this.#changes.take();
      const tiles = this.#tiles.filter(tile => areas?.some(area => overlaps(area, tile)) ?? true);
      for (const tile of tiles) this.#drawTile(tile);
      this.#digest = this.#pixels.take(tiles);
    });
    const digest = this.#digest;
    if (digest === undefined) throw new Error('nothing was drawn');
    return {digest};
  }

  /** Calls `draw` when Chromium has painted the current state of the elements. */
  #painted(draw: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onPaint = () => {
        try {
          resolve(draw());
        } catch (error) {
          reject(error);
        }
      };
      (this.canvas as PaintedCanvas).requestPaint();
    });
  }

  #drawTile({left, top, right, bottom}: Area): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(left, top, right - left, bottom - top);
    // a canvas inside the picture is not painted together with the other elements, so it is drawn before them; they are
    // then drawn over the canvas, but do not hide it, because the elements behind it have no background
    for (const inner of this.#picture.querySelectorAll('canvas')) {
      inner.style.visibility = 'hidden';
      // like a screen, this rounds the edges of a canvas to whole pixels
      const box = inner.getBoundingClientRect();
      const [x, y] = [Math.round(box.left), Math.round(box.top)];
      context.drawImage(inner, x, y, Math.round(box.right) - x, Math.round(box.bottom) - y);
    }
    context.drawElementImage(this.#picture, 0, 0);
    context.restore();
  }

  /**
   * Whether this browser paints a picture in an iframe onto the canvas. A browser may have the functions of
   * HTML-in-Canvas and still not do this, so this method tries it.
   */
  async #works(): Promise<boolean> {
    const trial = document.createElement('div');
    trial.style.cssText = 'position:relative;width:8px;height:8px';
    const frame = document.createElement('iframe');
    frame.style.cssText = 'position:absolute;left:0;top:0;border:0;width:8px;height:8px';
    trial.append(frame);
    this.canvas.append(trial);
    const body = frame.contentDocument?.body;
    if (body == null) return false;
    const image = body.ownerDocument.createElement('img');
    Object.assign(image, {src: GREEN, style: 'position:absolute;left:0;top:0'});
    body.append(image);
    await image.decode();
    const late = new Promise(resolve => setTimeout(resolve, TRIAL_MS));
    await Promise.race([late, this.#painted(() => this.#context.drawElementImage(trial, 0, 0))]);
    // the trial stays in the page: Chromium 156 crashes when a frame that was drawn loses its box
    trial.style.visibility = 'hidden';
    return this.#context.getImageData(4, 4, 1, 1).data.join() === '0,128,0,255';
  }
}

/** A square of 8 px in the colour that CSS calls green. */
const GREEN =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="green"/></svg>';

/** How long the trial waits for a paint: much longer than a paint takes on a busy machine. */
const TRIAL_MS = 15_000;

/** The members of a canvas that TypeScript's DOM types do not have yet. */
interface PaintedCanvas extends HTMLCanvasElement {
  onpaint: ((event: {readonly changedElements: readonly Element[]}) => void) | null;
  requestPaint(): void;
}

interface PaintingContext extends CanvasRenderingContext2D {
  drawElementImage(element: Element, x: number, y: number): DOMMatrix;
}
