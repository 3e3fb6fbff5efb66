import {scaleLinear} from 'd3-scale';
import type {Trace} from '../../../app/trace/trace.ts';
import {objectColour, type Theme} from '../../objectColours.ts';
import {drawValues} from '../axes.ts';
import {clipped, type Drawing, drawLine, type Point} from '../drawing.ts';
import {isCrowded, oneOrEach} from '../graphs.ts';
import {ghostMarks, textColour} from '../marks.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import type {Plot, TimelineModel, View} from '../model.ts';
import {dashOf, GHOST_ALPHA, PALETTES, paneColour} from '../palette.ts';
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
  // its lines are told in the picture
  marks: panes => ghostMarks(panes, textColour),
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
  const ghosts = plot.panes.flatMap(({before}, pane) =>
    (before?.data.connections ?? []).flatMap((_, i) =>
      before === undefined ? [] : [{trace: before, pane, own: before.samplesOf('server', i)}],
    ),
  );
  const largest = Math.max(
    1,
    ...[...servers, ...ghosts].map(({trace, own}) => {
      const {cwndBytes, flightBytes} = trace.data.samples;
      return own.reduce((most, row) => Math.max(most, cwndBytes[row] ?? 0, flightBytes[row] ?? 0), 0);
    }),
  );
  const y = scaleLinear([0, largest], [box.y + box.height, box.y]).nice();
  drawValues(drawing, model, plot, y, value => `${value / 1000} KB`);
  clipped(drawing, revealedPart(model, plot, box), () => {
    const stepsOf = ({trace, own}: Server, column: Float64Array): readonly Point[] => {
      const {samples, endNs} = trace.data;
      return own.flatMap((row, i) => {
        const value = y(Math.min(column[row] ?? 0, y.domain()[1] ?? 0));
        const until = samples.atNs[own[i + 1] ?? -1] ?? endNs;
        return [
          {x: x(samples.atNs[row] ?? 0), y: value},
          {x: x(until), y: value},
        ];
      });
    };
    drawing.globalAlpha = GHOST_ALPHA;
    for (const ghost of ghosts) {
      const colour = paneColour(model, plot.panes.length, ghost.pane);
      const style = {colour, width: scaled(model, 1.5), dash: dashOf(model, ghost.pane)};
      drawLine(drawing, stepsOf(ghost, ghost.trace.data.samples.cwndBytes), style);
    }
    drawing.globalAlpha = 1;
    for (const server of servers) {
      const {trace, pane, own} = server;
      const {samples, endNs} = trace.data;
      const steps = (column: Float64Array) => stepsOf(server, column);
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

/** The server's end of one connection. */
interface Server {
  readonly trace: Trace;
  readonly pane: number;
  /** Its rows of the samples. */
  readonly own: readonly number[];
}

function flightColour(theme: Theme): string {
  return objectColour(3, theme);
}

/** `SampleColumns.state`. */
const FAST_RECOVERY = 3;
const LOSS_RECOVERY = 4;
