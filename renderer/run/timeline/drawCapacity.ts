import {firstAbove} from '../../../app/base/order.ts';
import type {Capacity} from '../../../app/run/scenario/capacity.ts';
import {rateText} from '../../../app/run/scenario/describe.ts';
import {clipped, type Drawing, drawText} from './drawing.ts';
import type {Plot, TimelineModel} from './model.ts';
import {fontOf, PALETTES} from './palette.ts';
import {revealedPart} from './reveal.ts';

/**
 * Draws the rate of the link in the background of a graph, if the rate changes over time. The rate is an area, which
 * touches the top of the graph at the highest visible rate. Nothing is drawn for a constant rate.
 */
export function drawCapacity(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {capacity, theme, fromNs, toNs} = model;
  if (capacity == null) return;
  const {box, x} = plot;
  const highest = highestBps(capacity.rates, fromNs, toNs);
  if (highest === 0) return;
  const {line} = PALETTES[theme];
  clipped(drawing, revealedPart(model, plot, box), () => {
    drawing.fillStyle = line;
    drawing.globalAlpha = ALPHA;
    for (const {from, to, bps} of spans(capacity.rates, fromNs, toNs)) {
      const height = (bps / highest) * box.height;
      drawing.fillRect(x(from), box.y + box.height - height, x(to) - x(from), height);
    }
    drawing.globalAlpha = 1;
  });
}

/** Writes what the area of {@link drawCapacity} means, at the top of a graph. */
export function drawCapacityText(
  drawing: Drawing,
  {capacity, theme, fontPx, fromNs, toNs}: TimelineModel,
  {box}: Plot,
): void {
  const highest = capacity == null ? 0 : highestBps(capacity.rates, fromNs, toNs);
  if (capacity == null || highest === 0) return;
  const text = `▨ rate ${capacity.way}, at most ${rateText(highest)}`;
  const place = {x: box.x + box.width - 0.4 * fontPx, y: box.y + 0.7 * fontPx};
  drawText(drawing, text, place, {colour: PALETTES[theme].dim, font: fontOf(fontPx), align: 'right'});
}

/** The parts of the visible time, each with its rate. */
function* spans({atNs, bps}: Capacity, fromNs: number, toNs: number) {
  for (let row = Math.max(firstAbove(atNs, fromNs) - 1, 0); row < atNs.length; row++) {
    const [from, to] = [Math.max(atNs[row] ?? 0, fromNs), Math.min(atNs[row + 1] ?? toNs, toNs)];
    if (from >= toNs) return;
    yield {from, to, bps: bps[row] ?? 0};
  }
}

function highestBps(capacity: Capacity, fromNs: number, toNs: number): number {
  let highest = 0;
  for (const {bps} of spans(capacity, fromNs, toNs)) highest = Math.max(highest, bps);
  return highest;
}

const ALPHA = 0.45;
