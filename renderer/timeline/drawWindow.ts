import {scaleLinear} from 'd3-scale';
import {objectColour} from '../objectColours.ts';
import {drawValues} from './axes.ts';
import {clipped, type Drawing, drawLine, type Point} from './drawing.ts';
import {scaled} from './measures.ts';
import {nameY} from './names.ts';
import {dashOf, PALETTES, paneColour} from './palette.ts';
import type {Plot, TimelineModel} from './plots.ts';
import {drawLegend} from './windowLegend.ts';

/** The server's cwnd, ssthresh and flight size; recovery is shaded. Of many panes in one graph, the cwnd alone. */
export function drawWindow(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  const palette = PALETTES[model.theme];
  const rows = plot.panes.map(({trace}) => trace.samplesOf('server'));
  const largest = Math.max(
    1,
    ...plot.panes.map(({trace}, pane) => {
      const {cwndBytes, flightBytes} = trace.data.samples;
      return (rows[pane] ?? []).reduce(
        (most, row) => Math.max(most, cwndBytes[row] ?? 0, flightBytes[row] ?? 0),
        0,
      );
    }),
  );
  const isCrowded = plot.panes.length > 2;
  const y = scaleLinear([0, largest], [box.y + box.height, box.y]).nice();
  drawValues(drawing, model, plot, y, value => `${value / 1000} KB`);
  clipped(drawing, box, () => {
    for (const [pane, {trace}] of plot.panes.entries()) {
      const {samples, endNs} = trace.data;
      const own = rows[pane] ?? [];
      const steps = (column: Float64Array): readonly Point[] =>
        own.flatMap((row, i) => {
          const value = y(Math.min(column[row] ?? 0, y.domain()[1] ?? 0));
          const until = samples.atNs[own[i + 1] ?? -1] ?? endNs;
          return [
            {x: x(samples.atNs[row] ?? 0), y: value},
            {x: x(until), y: value},
          ];
        });
      for (const [i, row] of isCrowded ? [] : own.entries()) {
        const state = samples.state[row] ?? 0;
        if (state !== FAST_RECOVERY && state !== LOSS_RECOVERY) continue;
        const from = x(samples.atNs[row] ?? 0);
        drawing.globalAlpha = state === LOSS_RECOVERY ? 0.22 : 0.12;
        drawing.fillStyle = palette.warning;
        drawing.fillRect(from, box.y, x(samples.atNs[own[i + 1] ?? -1] ?? endNs) - from, box.height);
      }
      drawing.globalAlpha = 1;
      const dash = dashOf(model, pane);
      const [thin, thick] = [scaled(model, 1), scaled(model, 2)];
      if (!isCrowded) {
        const dots = [scaled(model, 2), scaled(model, 4)];
        drawLine(drawing, steps(samples.ssthreshBytes), {colour: palette.dim, width: thin, dash: dots});
        const flight = {colour: objectColour(3, model.theme), width: thick, dash};
        drawLine(drawing, steps(samples.flightBytes), flight);
      }
      const colour = paneColour(model, plot.panes.length, pane);
      drawLine(drawing, steps(samples.cwndBytes), {colour, width: thick, dash});
    }
  });
  const place = {x: box.x + box.width, y: nameY(model, plot, 0)};
  drawLegend(drawing, model, plot.panes.length, place);
}

/** `SampleColumns.state`. */
const FAST_RECOVERY = 3;
const LOSS_RECOVERY = 4;
