import {secondsText} from '../../../app/run/trace/traceTexts.ts';
import type {Prediction} from '../../../app/study/model/prediction.ts';
import {drawVertical} from './axes.ts';
import {type Drawing, drawText} from './drawing.ts';
import {scaled, textWidth} from './measures.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {fontOf, PALETTES, PREDICTION_DASH} from './palette.ts';

/**
 * Adds to each pane the time at which its page is complete according to the model of the paper L06, if there is a
 * prediction.
 */
export function withPredictions(
  panes: readonly TimelinePane[],
  predictions: readonly Prediction[],
): readonly TimelinePane[] {
  return panes.map((pane, i) => {
    const prediction = predictions[i];
    return prediction?.ok ? {...pane, predictedNs: prediction.completeMs * 1e6} : pane;
  });
}

/**
 * Draws a faint line with a label at the time when each pane's page is complete according to the model of the paper
 * L06. A prediction is not an event of the run, so the line is drawn even if it is after t.
 */
export function drawPrediction(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  if (model.view.predictionAt === undefined) return;
  const {box, panes, x} = plot;
  const {dim} = PALETTES[model.theme];
  const dash = PREDICTION_DASH.map(px => scaled(model, px));
  let line = 0;
  for (const {predictedNs, label} of panes) {
    if (predictedNs === undefined || predictedNs < model.fromNs || predictedNs > model.toNs) continue;
    const at = x(predictedNs);
    drawVertical(drawing, model, at, box.y, box.y + box.height, dim, dash);
    const text = `${panes.length > 1 ? `${label}, ` : ''}model (L06) ${secondsText(predictedNs)}`;
    drawLabel(drawing, model, plot, text, at, line);
    line += 1;
  }
}

/** Writes the label after the line, or before the line if there is no room, over a slightly transparent background. */
function drawLabel(drawing: Drawing, model: TimelineModel, {box}: Plot, text: string, at: number, line: number): void {
  const {fontPx, theme, view} = model;
  const height = LINE_EM * fontPx;
  if ((line + 1) * height > box.height / 2) return; // labels would cover more than half of the graph
  const [gap, width] = [0.3 * fontPx, textWidth(text, fontPx)];
  const isAfter = at + gap + width <= box.x + box.width;
  const from = at + (isAfter ? gap : -gap);
  const left = isAfter ? from : from - width;
  const top = view.predictionAt === 'top' ? box.y + line * height : box.y + box.height - (line + 1) * height;
  const {background, dim} = PALETTES[theme];
  drawing.globalAlpha = 0.8;
  drawing.fillStyle = background;
  drawing.fillRect(left, top, width, height);
  drawing.globalAlpha = 1;
  const style = {colour: dim, font: fontOf(fontPx), align: isAfter ? 'left' : 'right'} as const;
  drawText(drawing, text, {x: from, y: top + height / 2}, style);
}

const LINE_EM = 1.2;
