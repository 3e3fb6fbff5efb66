import {SCREEN} from './media.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A place on the page, in CSS px from its top left corner. */
export interface Box extends Size {
  readonly left: number;
  readonly top: number;
}

/**
 * A rough layout of a page from its tags alone: pictures and text flow from left to right in lines that fill the screen
 * except for a margin, and block elements begin new lines. Style sheets are not applied, so columns, hidden elements,
 * margins and sizes in style sheets are unknown. It serves to estimate what is on the first screen, and how far away
 * the rest is.
 */
export class Flow {
  #left = 0;
  #top = MARGIN_PX;
  #lineHeight = 0;
  /** The open elements whose style states a height, and the least y at which each of them ends. */
  readonly #ends: {readonly name: string; readonly bottom: number}[] = [];

  /** Begins a new line, as a block element does. */
  breakLine(): void {
    this.#top += this.#lineHeight;
    this.#left = 0;
    this.#lineHeight = 0;
  }

  /** Begins an element whose style states its height in px. */
  open(name: string, height: number): void {
    this.#ends.push({name, bottom: this.#top + height});
  }

  /** Ends the element that {@link Flow.open} began last, if it has this name. */
  close(name: string): void {
    const last = this.#ends.at(-1);
    if (last?.name !== name) return;
    this.#ends.pop();
    this.breakLine();
    this.#top = Math.max(this.#top, last.bottom);
  }

  /** Places a picture. A picture that is wider than a line is scaled down, as on most pages. */
  place({width, height}: Size): Box {
    const scale = Math.min(1, WIDTH_PX / Math.max(width, 1));
    const size = {width: width * scale, height: height * scale};
    if (this.#left > 0 && this.#left + size.width > WIDTH_PX) this.breakLine();
    const box = {left: MARGIN_PX + this.#left, top: this.#top, ...size};
    this.#left += size.width;
    this.#lineHeight = Math.max(this.#lineHeight, size.height);
    return box;
  }

  /** Places text. `lineHeight` is in px; the width of a character is assumed to be 0.4 times the height of its line. */
  placeText(characters: number, lineHeight: number): Box {
    const width = (characters * lineHeight) / 2.5;
    const lines = Math.max(1, Math.ceil((this.#left + width) / WIDTH_PX));
    const box = {
      left: MARGIN_PX + (lines > 1 ? 0 : this.#left),
      top: this.#top,
      width: Math.min(width, WIDTH_PX),
      height: lines * lineHeight,
    };
    this.#left = lines > 1 ? (this.#left + width) % WIDTH_PX : this.#left + width;
    this.#top += (lines - 1) * lineHeight;
    this.#lineHeight = Math.max(lines > 1 ? 0 : this.#lineHeight, lineHeight);
    return box;
  }
}

/** The area of the part of a box that is on the first screen, px². */
export function areaOnScreen({left, top, width, height}: Box): number {
  const right = Math.min(left + width, SCREEN.width) - Math.max(left, 0);
  const bottom = Math.min(top + height, SCREEN.height) - Math.max(top, 0);
  return Math.max(0, right) * Math.max(0, bottom);
}

/** The usual margin of a body (HTML §15.3.2). */
const MARGIN_PX = 8;
const WIDTH_PX = SCREEN.width - 2 * MARGIN_PX;
