import {type ScaleBand, scaleBand} from 'd3-scale';
import {objectColour} from '../../kit/objectColours.ts';
import {isDimmed} from '../../session/hovered.ts';
import {type Drawing, drawText, type Point} from './drawing.ts';
import {textWidth} from './measures.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {fontOf, PALETTES} from './palette.ts';
import {isCrowded, MOST_BELOW_EACH_OTHER} from './plots.ts';

// This file is for views with a row for each object, such as the waterfall.

/** The room for the names of rows, em. It is enough for `lighthouse.jpg` beside its colour. */
export const ROW_NAMES_EM = 9.8;

/**
 * Whether panes share one graph, because the rows of three or four separate graphs would be too low to read. Five
 * or more panes have separate graphs, which are in columns.
 */
export function sharesRows(panes: readonly TimelinePane[]): boolean {
  return isCrowded({panes}) && panes.length <= MOST_BELOW_EACH_OTHER;
}

/** Returns the rows of a graph: the y of each object's row, CSS px. */
export function objectRows({box, panes}: Plot): ScaleBand<number> {
  const objects = panes[0]?.trace.objects ?? [];
  return scaleBand(Array.from(objects.keys()), [box.y, box.y + box.height]).padding(0.15);
}

/**
 * Writes the names of the rows. If rows are low, names are smaller. If they are even lower, some names are left out,
 * but never the name of a hovered object.
 */
export function drawRowNames(
  drawing: Drawing,
  model: TimelineModel,
  {box, panes}: Plot,
  rows: ScaleBand<number>,
): void {
  const {hovered} = model;
  const fontPx = Math.min(model.fontPx, Math.max(rows.step(), SMALLEST_NAME_PX, SMALLEST_NAME * model.fontPx));
  const every = Math.ceil((fontPx * LETTERS_EM) / rows.step());
  const hasRoom = (object: number): boolean =>
    object % every === 0 && Array.from(hovered).every(each => Math.abs(each - object) >= every);
  const colour = PALETTES[model.theme].dim;
  for (const [object, {url}] of (panes[0]?.trace.objects ?? []).entries()) {
    if (!hovered.has(object) && !hasRoom(object)) continue;
    drawing.globalAlpha = isDimmed(hovered, object) ? 0.4 : 1;
    const y = (rows(object) ?? 0) + rows.bandwidth() / 2;
    const [right, swatch] = [box.x - model.fontPx * 0.4, fontPx * 0.6];
    drawing.fillStyle = objectColour(object, model.theme);
    drawing.fillRect(right - swatch, y - swatch / 2, swatch, swatch);
    const place = {x: right - swatch - fontPx * 0.3, y};
    drawText(drawing, rowName(url, place.x - (model.leftPx ?? 0), fontPx), place, {
      colour,
      font: fontOf(fontPx),
      align: 'right',
    });
  }
}

/**
 * The name of an object's row: the last part of its path, including the slash of a folder. If the name does not fit
 * into `room` (CSS px), its file extension is left out. If it still does not fit, its end is cut off.
 */
export function rowName(url: string, room: number, fontPx: number): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const name = /[^/]*\/?$/.exec(path)?.[0] || url;
  const most = Math.max(1, Math.floor(room / textWidth('m', fontPx)));
  const short = name.length > most ? name.replace(/(?<=.)\.\w{1,5}$/, '') : name;
  return short.length > most ? `${short.slice(0, most - 1)}…` : short;
}

/** Returns the object in whose row a point is. */
export function objectAtRow({box, panes}: Plot, {y}: Point): number | undefined {
  const count = panes[0]?.trace.objects.length ?? 0;
  const object = Math.floor(((y - box.y) / box.height) * count);
  return object >= 0 && object < count ? object : undefined;
}

/** The smallest size of a name that can be read on a screen. */
const SMALLEST_NAME_PX = 9;
/** The smallest size of a name, relative to other text. It can be read from the last row of a lecture room. */
export const SMALLEST_NAME = 0.7;
/** The height of a line of text, from the highest to the lowest letter. */
const LETTERS_EM = 0.92;
