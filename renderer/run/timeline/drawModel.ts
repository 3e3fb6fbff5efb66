import {secondsText} from '../../../app/run/trace/traceTexts.ts';
import type {Prediction} from '../../../app/study/model/prediction.ts';
import {drawVertical} from './axes.ts';
import {type Drawing, drawText} from './drawing.ts';
import {scaled, textWidth} from './measures.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {fontOf, MODEL_DASH, PALETTES} from './palette.ts';

/** The panes, each with the time of what is predicted of it. */
export function withModel(panes: readonly TimelinePane[], predictions: readonly Prediction[]): readonly TimelinePane[] {
  return panes.map((pane, i) => {
    const prediction = predictions[i];
    return prediction?.ok ? {...pane, modelNs: prediction.completeMs * 1e6} : pane;
  });
}

/** A faint line where the model has each pane of a graph complete, and what it is, whatever t is: it is no event. */
export function drawModel(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  if (model.view.modelAt === undefined) return;
  const {box, panes, x} = plot;
  const {dim} = PALETTES[model.theme];
  const dash = MODEL_DASH.map(px => scaled(model, px));
  let line = 0;
  for (const {modelNs, label} of panes) {
    if (modelNs === undefined || modelNs < model.fromNs || modelNs > model.toNs) continue;
    const at = x(modelNs);
    drawVertical(drawing, model, at, box.y, box.y + box.height, dim, dash);
    const text = `${panes.length > 1 ? `${label}, ` : ''}model (L06) ${secondsText(modelNs)}`;
    drawLabel(drawing, model, plot, text, at, line);
    line += 1;
  }
}

/** Beside the line where there is room, on the background: what is drawn below goes on around it. */
function drawLabel(drawing: Drawing, model: TimelineModel, {box}: Plot, text: string, at: number, line: number): void {
  const {fontPx, theme, view} = model;
  const height = LINE_EM * fontPx;
  if ((line + 1) * height > box.height / 2) return; // it would be more than the graph
  const [gap, width] = [0.3 * fontPx, textWidth(text, fontPx)];
  const isAfter = at + gap + width <= box.x + box.width;
  const from = at + (isAfter ? gap : -gap);
  const left = isAfter ? from : from - width;
  const top = view.modelAt === 'top' ? box.y + line * height : box.y + box.height - (line + 1) * height;
  const {background, dim} = PALETTES[theme];
  drawing.globalAlpha = 0.8;
  drawing.fillStyle = background;
  drawing.fillRect(left, top, width, height);
  drawing.globalAlpha = 1;
  const style = {colour: dim, font: fontOf(fontPx), align: isAfter ? 'left' : 'right'} as const;
  drawText(drawing, text, {x: from, y: top + height / 2}, style);
}

const LINE_EM = 1.2;
