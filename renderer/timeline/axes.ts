import type {ScaleLinear} from 'd3-scale';
import {type Drawing, drawLine, drawText} from './drawing.ts';
import {fontOf, nameOf, PALETTES, type Plot, type TimelineModel} from './plots.ts';

/** Time below the last graph, grid lines through all, timed changes, each graph's name. */
export function drawAxes(drawing: Drawing, model: TimelineModel, plots: readonly Plot[]): void {
  const palette = PALETTES[model.theme];
  const font = fontOf(model.fontPx);
  const last = plots.at(-1);
  if (last === undefined) return;
  const seconds = last.x.copy().domain(last.x.domain().map(ns => ns / 1e9));
  const ticks = seconds.ticks(Math.max(2, model.width / (model.fontPx * 7)));
  const format = seconds.tickFormat(ticks.length);
  for (const plot of plots) {
    const {box, strip} = plot;
    const bottom = strip.y + strip.height;
    for (const tick of ticks) drawVertical(drawing, seconds(tick), box.y, bottom, palette.line);
    for (const changeNs of model.changesNs) {
      const at = plot.x(changeNs);
      if (at < box.x || at > box.x + box.width) continue;
      drawVertical(drawing, at, box.y, bottom, palette.accent, [4, 3]);
      drawText(
        drawing,
        'path changes',
        {x: at + 4, y: box.y + model.fontPx / 2},
        {colour: palette.accent, font},
      );
    }
    drawText(
      drawing,
      nameOf(plot),
      {x: box.x, y: box.y - model.fontPx * 0.75},
      {colour: palette.text, font: `600 ${font}`},
    );
  }
  const y = last.strip.y + last.strip.height + model.fontPx * 0.9;
  for (const tick of ticks) {
    drawText(
      drawing,
      `${format(tick)} s`,
      {x: seconds(tick), y},
      {colour: palette.dim, font, align: 'center'},
    );
  }
}

/** Values to the left of a graph, with lines across it. */
export function drawValues(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  y: ScaleLinear<number, number>,
  format: (value: number) => string,
): void {
  const palette = PALETTES[model.theme];
  const count = Math.max(2, Math.min(4, plot.box.height / (model.fontPx * 1.6)));
  let labelled = Number.POSITIVE_INFINITY;
  for (const value of y.ticks(count)) {
    const at = y(value);
    const points = [
      {x: plot.box.x, y: at},
      {x: plot.box.x + plot.box.width, y: at},
    ];
    drawLine(drawing, points, {colour: palette.line, width: 1});
    if (Math.abs(at - labelled) < model.fontPx) continue; // no room for its name
    labelled = at;
    const place = {x: plot.box.x - model.fontPx * 0.4, y: at};
    drawText(drawing, format(value), place, {
      colour: palette.dim,
      font: fontOf(model.fontPx),
      align: 'right',
    });
  }
}

export function drawVertical(
  drawing: Drawing,
  x: number,
  from: number,
  to: number,
  colour: string,
  dash: readonly number[] = [],
): void {
  const points = [
    {x, y: from},
    {x, y: to},
  ];
  drawLine(drawing, points, {colour, width: 1, dash});
}
