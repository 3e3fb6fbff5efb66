import type {Trace} from '../../../app/run/trace/trace.ts';
import type {PageBoxes} from '../panes/pageBoxes.ts';

/** A place for a thumbnail on a canvas, px. */
export interface Slot {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The parts of a canvas's context that thumbnails use. */
export type Pen = Pick<CanvasRenderingContext2D, 'fillStyle' | 'fillRect' | 'globalAlpha'> & {
  drawImage(image: CanvasImageSource, x: number, y: number, width: number, height: number): void;
};

/** The colours of a thumbnail, as CSS. */
export interface ThumbnailColours {
  readonly text: string;
  readonly empty: string;
}

/** Returns where a page is drawn, and its scale. Its upper part is drawn, as large as fits into the slot. */
export function fitThumbnail({width, height}: Pick<PageBoxes, 'width' | 'height'>, slot: Slot): Slot & {scale: number} {
  const shownHeight = Math.min(height, width * MOST_RATIO);
  const scale = Math.min(slot.width / width, slot.height / shownHeight);
  const [shownWidth, shown] = [width * scale, shownHeight * scale];
  return {x: slot.x + (slot.width - shownWidth) / 2, y: slot.y, width: shownWidth, height: shown, scale};
}

/**
 * Draws the page at t into a slot: the lines of text as far as the HTML has arrived, and the pictures. `pictureOf`
 * gives what is decoded of an object, or undefined if nothing can be shown of it yet.
 */
export function drawThumbnail(
  pen: Pen,
  slot: Slot,
  boxes: PageBoxes,
  trace: Trace,
  tNs: number,
  pictureOf: (object: number) => CanvasImageSource | undefined,
  {text, empty}: ThumbnailColours,
): void {
  const at = fitThumbnail(boxes, slot);
  const htmlBytes = trace.objects[0]?.bytes ?? 0;
  const share = htmlBytes === 0 ? 0 : trace.bytesAt(0, tNs) / htmlBytes;
  // if nothing has arrived, nothing is drawn, so that the name of the row can be read there
  if (share === 0) return;
  // an edge, because the page may be as white as the window
  pen.fillStyle = empty;
  pen.fillRect(at.x - 1, at.y, at.width + 2, at.height);
  for (const ground of ['white', boxes.background]) {
    pen.fillStyle = ground;
    pen.fillRect(at.x, at.y + 1, at.width, at.height - 2);
  }
  const rectOf = ({x, y, width, height}: Slot): readonly [number, number, number, number] => {
    const top = at.y + y * at.scale;
    const bottom = Math.min(top + height * at.scale, at.y + at.height);
    return [at.x + x * at.scale, top, width * at.scale, Math.max(bottom - top, 0)];
  };
  pen.fillStyle = text;
  pen.globalAlpha = TEXT_ALPHA;
  for (const line of boxes.texts.slice(0, Math.ceil(share * boxes.texts.length))) {
    // letters fill about half of their line
    pen.fillRect(...rectOf({...line, y: line.y + line.height / 4, height: line.height / 2}));
  }
  pen.globalAlpha = 1;
  const arrived = boxes.pictures.slice(0, Math.ceil(share * boxes.pictures.length));
  for (const {object, ...box} of arrived) {
    const rect = rectOf(box);
    const picture = pictureOf(object);
    if (rect[3] === 0) continue;
    pen.fillStyle = empty;
    if (picture === undefined) pen.fillRect(...rect);
    else pen.drawImage(picture, rect[0], rect[1], rect[2], box.height * at.scale);
  }
}

/** Draws a synthetic page at t: a bar for each object, filled by the share of its bytes that have arrived. */
export function drawBars(
  pen: Pen,
  slot: Slot,
  trace: Trace,
  tNs: number,
  colourOf: (object: number) => string,
  {empty}: ThumbnailColours,
): void {
  const bar = slot.width / Math.max(trace.objects.length, 1);
  for (const object of trace.objects.keys()) {
    const height = (slot.height * trace.percentAt(object, tNs)) / 100;
    const x = slot.x + object * bar;
    const width = Math.max(bar * BAR_SHARE, 1);
    pen.fillStyle = empty;
    pen.fillRect(x, slot.y, width, slot.height);
    pen.fillStyle = colourOf(object);
    pen.fillRect(x, slot.y + slot.height - height, width, height);
  }
}

/** A thumbnail shows at most this much of a page's height, as a multiple of the page's width. */
export const MOST_RATIO = 0.5;
const TEXT_ALPHA = 0.45;
const BAR_SHARE = 0.8;
