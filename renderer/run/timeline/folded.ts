import {secondsText} from '../../../app/run/trace/traceTexts.ts';
import {drawVertical} from './axes.ts';
import {type Drawing, drawText, type Point} from './drawing.ts';
import {hitTest} from './hits.ts';
import {scaled} from './measures.ts';
import type {Hit, Plot, TimelineModel} from './model.ts';
import {nameY, paneNames} from './names.ts';
import {fontOf, PALETTES} from './palette.ts';
import {columnAt, layOut} from './plots.ts';
import {revealedNs} from './reveal.ts';
import {drawStrip, lossAt} from './strip.ts';

/**
 * Draws a folded graph: a line as long as the load, the marks of its strip ({@link drawStrip}), and a text that says
 * when and how the load ended.
 */
export function drawFolded(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const [pane] = plot.panes;
  if (pane === undefined) return;
  const {box, strip, x} = plot;
  const {text, dim, line} = PALETTES[model.theme];
  const {endNs, outcome} = pane.trace.data;
  const untilNs = Math.min(endNs, revealedNs(model));
  const inSight = (at: number): number => Math.min(Math.max(at, box.x), box.x + box.width);
  const height = scaled(model, 2);
  drawing.fillStyle = line;
  const [left, right] = [inSight(x(0)), inSight(x(untilNs))];
  drawing.fillRect(left, strip.y + (strip.height - height) / 2, right - left, height);
  drawStrip(drawing, model, plot, 0);
  if (endNs > revealedNs(model) || outcome === 'loading') return;
  const at = x(endNs);
  if (at === inSight(at)) drawVertical(drawing, model, at, strip.y, strip.y + strip.height, text);
  const [name] = paneNames(model, plot.panes);
  const place = {x: (name?.right ?? box.x) + model.fontPx, y: nameY(model, plot, 0)};
  const told = `${outcome === 'complete' ? 'complete' : 'ended incomplete'} at ${secondsText(endNs)}`;
  drawText(drawing, told, place, {colour: dim, font: fontOf(model.fontPx)});
}

/** What the picture shows at a point ({@link hitTest}). In a folded graph, only lost and marked packets are found. */
export function hitAt(picture: TimelineModel, point: Point): Hit | undefined {
  const model = columnAt(picture, point.x);
  const folded = layOut(model).find(({isFolded, strip}) => {
    return isFolded && point.y >= strip.y - 4 && point.y <= strip.y + strip.height + 4;
  });
  return folded === undefined ? hitTest(picture, point) : lossAt(model, folded, point);
}
