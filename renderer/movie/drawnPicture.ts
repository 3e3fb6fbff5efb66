import type {Size} from '../../app/telling/movie/options.ts';
import {type Area, ChangedAreas} from './changedAreas.ts';
import {isOver, PixelDigest, tilesOf} from './pixelDigest.ts';

/**
 * A picture of elements that Chromium paints onto a canvas around it (HTML-in-Canvas, github.com/WICG/html-in-canvas).
 * Nothing leaves the page for that. Each of its tiles is drawn by itself, whether one of them has changed or all: what
 * Chromium paints of a shadow or a shrunk picture depends, by 1 of 255, on where it is clipped.
 *
 * Differs: on a screen there are other tiles, and what CSS calls an image and computes (a gradient) is dithered.
 */
export class DrawnPicture {
  readonly canvas: HTMLCanvasElement;
  readonly #context: PaintingContext;
  readonly #picture: HTMLElement;
  readonly #changes: ChangedAreas;
  readonly #tiles: readonly Area[];
  readonly #pixels: PixelDigest;
  /** Since it was drawn. */
  #hasChanged = false;
  #onPaint: (() => void) | undefined;
  #digest: Promise<string> | undefined;

  private constructor(picture: HTMLElement, {width, height}: Size) {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, {className: 'drawn', width, height});
    canvas.setAttribute('layoutsubtree', '');
    const context = canvas.getContext('2d', {alpha: false, willReadFrequently: true});
    if (context === null) throw new Error('no canvas can be drawn on');
    picture.replaceWith(canvas);
    canvas.append(picture);
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    // Chromium paints whenever it likes, and tells each change once
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
   * Puts the canvas around the picture, which is empty; undefined where it is not painted: the page is of no use then.
   */
  static async around(picture: HTMLElement, size: Size): Promise<DrawnPicture | undefined> {
    if (!('drawElementImage' in CanvasRenderingContext2D.prototype)) return undefined;
    const drawn = new DrawnPicture(picture, size);
    return (await drawn.#works().catch(() => false)) ? drawn : undefined;
  }

  /** Kept when the canvas shows what the page shows now. Gives a text that its pixels make. */
  async draw(): Promise<{readonly digest: Promise<string>}> {
    await this.#painted(() => {
      if (this.#digest !== undefined && !this.#hasChanged) return;
      this.#hasChanged = false;
      const areas = this.#changes.take();
      const tiles = this.#tiles.filter(tile => areas?.some(area => isOver(area, tile)) ?? true);
      for (const tile of tiles) this.#drawTile(tile);
      this.#digest = this.#pixels.take(tiles);
    });
    const digest = this.#digest;
    if (digest === undefined) throw new Error('nothing was drawn');
    return {digest};
  }

  /** Calls `draw` when Chromium has painted all as it is now. */
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
    // a canvas inside is not painted with the others; nothing with a background lies behind it
    for (const inner of this.#picture.querySelectorAll('canvas')) {
      inner.style.visibility = 'hidden';
      // on a screen its edges are of whole pixels, wherever its box is
      const box = inner.getBoundingClientRect();
      const [x, y] = [Math.round(box.left), Math.round(box.top)];
      context.drawImage(inner, x, y, Math.round(box.right) - x, Math.round(box.bottom) - y);
    }
    context.drawElementImage(this.#picture, 0, 0);
    context.restore();
  }

  /** Tries it with a picture in a frame: a browser may know the names and not do it. */
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
    // it stays: Chromium 156 crashes when a frame that was drawn loses its box
    trial.style.visibility = 'hidden';
    return this.#context.getImageData(4, 4, 1, 1).data.join() === '0,128,0,255';
  }
}

/** 8 px of the colour that CSS calls green. */
const GREEN =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="green"/></svg>';

/** Much longer than a paint takes on a busy machine. */
const TRIAL_MS = 15_000;

/** What TypeScript's DOM does not have yet. */
interface PaintedCanvas extends HTMLCanvasElement {
  onpaint: ((event: {readonly changedElements: readonly Element[]}) => void) | null;
  requestPaint(): void;
}

interface PaintingContext extends CanvasRenderingContext2D {
  drawElementImage(element: Element, x: number, y: number): DOMMatrix;
}
