import {areaOnScreen} from '../../page/flow.ts';
import type {ImageSize} from '../../page/imageSize.ts';
import type {PictureElement, TextElement} from '../../page/outline.ts';
import type {Milestones} from '../trace/traceData.ts';

/**
 * Computes the times of first paints (Paint Timing; Largest Contentful Paint). Boxes are those of `Flow`, so they are
 * estimates, except for the boxes of pictures on built-in and recorded pages. A text waits for a font only while the
 * font delays all painting. Background pictures do not count.
 */
export class Painting {
  readonly #paintNs: number;
  readonly #texts: {readonly element: TextElement; readonly atNs: number}[] = [];
  readonly #completeNs = new Map<number, number>();
  /** The time from which nothing delays painting. */
  #fromNs: number | null = null;
  /** The time when the document was parsed and its deferred scripts had run (DOMContentLoaded). */
  dclNs: number | null = null;
  /** The time when everything that the document waits for had ended (load). */
  loadNs: number | null = null;

  /**
   * `paintMs` is the time from a change to the frame that shows the change. If something delays painting, `paintMs`
   * counts from the end of the delay.
   */
  constructor(paintMs: number) {
    this.#paintNs = paintMs * 1e6;
  }

  handleText(element: TextElement, atNs: number): void {
    this.#texts.push({element, atNs});
  }

  /** Called when nothing delays painting any more. Later calls have no effect. */
  handlePainting(atNs: number): void {
    this.#fromNs ??= atNs;
  }

  handleComplete(object: number, atNs: number): void {
    this.#completeNs.set(object, atNs);
  }

  /**
   * Returns the milestones so far. `pictures` are the pictures of the document, and `sizeOf` returns a picture's own
   * size.
   */
  milestones(pictures: readonly PictureElement[], sizeOf: (object: number) => ImageSize | undefined): Milestones {
    const {dclNs, loadNs} = this;
    const painted = [...this.#paintedTexts(), ...this.#paintedPictures(pictures, sizeOf)];
    const fcpNs = painted.reduce((first, {atNs}) => Math.min(first, atNs), Number.POSITIVE_INFINITY);
    const largest = painted.reduce<Painted | undefined>(
      (best, each) => (isLarger(each, best) ? each : best),
      undefined,
    );
    return {
      fcpNs: fcpNs === Number.POSITIVE_INFINITY ? null : fcpNs,
      lcpNs: largest?.atNs ?? null,
      lcpObject: largest?.object ?? null,
      dclNs,
      loadNs,
    };
  }

  /** Returns the texts that are painted, with the part of their boxes that is on the screen. */
  #paintedTexts(): readonly Painted[] {
    const fromNs = this.#fromNs;
    if (fromNs === null) return [];
    return this.#texts.map(({element: {box}, atNs}) => {
      return {object: null, atNs: Math.max(fromNs, atNs) + this.#paintNs, area: areaOnScreen(box)};
    });
  }

  /** Returns the pictures that are painted completely. A picture that is shown enlarged counts with its own size. */
  #paintedPictures(
    pictures: readonly PictureElement[],
    sizeOf: (object: number) => ImageSize | undefined,
  ): readonly Painted[] {
    const fromNs = this.#fromNs;
    if (fromNs === null) return [];
    return pictures.flatMap(({object, box}) => {
      const completeNs = this.#completeNs.get(object);
      if (completeNs === undefined) return [];
      const own = sizeOf(object);
      const ownArea = own === undefined ? Number.POSITIVE_INFINITY : own.width * own.height;
      const shown = box.width * box.height;
      const area = areaOnScreen(box) * (shown === 0 ? 0 : Math.min(1, ownArea / shown));
      return [{object, atNs: Math.max(fromNs, completeNs) + this.#paintNs, area}];
    });
  }
}

interface Painted {
  /** Null for text. */
  readonly object: number | null;
  readonly atNs: number;
  /** The part that is on the screen, px². */
  readonly area: number;
}

/** Whether a painted element is the largest so far. If two are equally large, the one that was painted first counts. */
function isLarger(a: Painted, b: Painted | undefined): boolean {
  if (a.area === 0) return false;
  return b === undefined || a.area > b.area || (a.area === b.area && a.atNs < b.atNs);
}
