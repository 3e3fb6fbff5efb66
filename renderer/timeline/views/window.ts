import {scaleLinear} from 'd3-scale';
import {objectColour, type Theme} from '../../objectColours.ts';
import {drawValues} from '../axes.ts';
import {clipped, type Drawing, drawLine, type Point} from '../drawing.ts';
import {isCrowded, oneOrEach} from '../graphs.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import type {Plot, TimelineModel, View} from '../model.ts';
import {dashOf, PALETTES, paneColour} from '../palette.ts';
import {revealedPart} from '../reveal.ts';

/**
 * The servers' cwnd, ssthresh and flight size, a line for each connection; recovery is shaded. Of many panes in one
 * graph, the cwnd alone.
 */
export const cwnd: View = {
  name: 'window',
  label: 'cwnd',
  key: '4',
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: false,
  apartBy: 'dashes',
  hasNameLines: false,
  graphs: oneOrEach,
  legend,
  draw,
  hit: () => undefined,
};

/** What the lines are; of many panes there is one each. */
function legend(theme: Theme, panes: number): readonly (readonly [string, string])[] {
  const {text, dim, warning} = PALETTES[theme];
  if (panes > 2) return [['cwnd', text]];
  return [
    ['cwnd ━', text],
    ['flight size ━', flightColour(theme)],
    ['ssthresh ┄', dim],
    ['recovery ▨', warning],
  ];
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  const palette = PALETTES[model.theme];
  const servers = plot.panes.flatMap(({trace}, pane) =>
    trace.data.connections.map((_, i) => ({trace, pane, own: trace.samplesOf('server', i)})),
  );
  const largest = Math.max(
    1,
    ...servers.map(({trace, own}) => {
      const {cwndBytes, flightBytes} = trace.data.samples;
      return own.reduce((most, row) => Math.max(most, cwndBytes[row] ?? 0, flightBytes[row] ?? 0), 0);
    }),
  );
  const y = scaleLinear([0, largest], [box.y + box.height, box.y]).nice();
  drawValues(drawing, model, plot, y, value => `${value / 1000} KB`);
  clipped(drawing, revealedPart(model, plot, box), () => {
    for (const {trace, pane, own} of servers) {
      const {samples, endNs} = trace.data;
      const steps = (column: Float64Array): readonly Point[] =>
        own.flatMap((row, i) => {
          const value = y(Math.min(column[row] ?? 0, y.domain()[1] ?? 0));
          const until = samples.atNs[own[i + 1] ?? -1] ?? endNs;
          return [
            {x: x(samples.atNs[row] ?? 0), y: value},
            {x: x(until), y: value},
          ];
        });
      for (const [i, row] of isCrowded(plot) ? [] : own.entries()) {
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
      if (!isCrowded(plot)) {
        const dots = [scaled(model, 2), scaled(model, 4)];
        drawLine(drawing, steps(samples.ssthreshBytes), {colour: palette.dim, width: thin, dash: dots});
        const flight = {colour: flightColour(model.theme), width: thick, dash};
        drawLine(drawing, steps(samples.flightBytes), flight);
      }
      const colour = paneColour(model, plot.panes.length, pane);
      drawLine(drawing, steps(samples.cwndBytes), {colour, width: thick, dash});
    }
  });
}

function flightColour(theme: Theme): string {
  return objectColour(3, theme);
}

/** `SampleColumns.state`. */
const FAST_RECOVERY = 3;
const LOSS_RECOVERY = 4;
