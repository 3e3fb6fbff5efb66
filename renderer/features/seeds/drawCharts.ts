import type {SeedRow} from '../../../app/host/contract.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {drawLine, drawText, type Point} from '../../run/timeline/drawing.ts';
import {fontOf, PALETTES} from '../../run/timeline/palette.ts';
import {SvgDrawing} from '../../run/timeline/svgDrawing.ts';
import {type Chart, type ChartRow, layOutChart} from './chart.ts';
import {dotText, rowText} from './chartText.ts';
import type {Measure} from './measures.ts';

/** What a picture with the charts of many seeds shows. */
export interface ChartsModel {
  readonly rows: readonly SeedRow[];
  /** The names of the panes. */
  readonly names: readonly string[];
  /** The measures. Each has its own chart; the charts are side by side. */
  readonly measures: readonly Measure[];
  /** The run on screen. */
  readonly shown: SeedRow;
  /** The text below the charts, which says what was computed. */
  readonly caption: string;
  readonly theme: Theme;
  /** The size of the whole picture, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
}

/** Draws the charts of many seeds. Returns the text of an SVG file. */
export function chartsSvg(model: ChartsModel): string {
  const svg = new SvgDrawing(model, PALETTES[model.theme].background);
  const {measures, rows, shown, width, height, fontPx, theme} = model;
  const [gap, margin] = [GAP_EM * fontPx, MARGIN_EM * fontPx];
  const size = {
    width: (width - 2 * margin - gap * (measures.length - 1)) / measures.length,
    height: height - 2 * margin - CAPTION_EM * fontPx,
    fontPx,
  };
  for (const [i, measure] of measures.entries()) {
    const place = {x: margin + i * (size.width + gap), y: margin};
    drawChart(svg, model, measure, layOutChart(rows, shown, measure, size), {...size, ...place});
  }
  const below = {x: margin, y: height - margin - fontPx / 2};
  drawText(svg, model.caption, below, {colour: PALETTES[theme].dim, font: fontOf(fontPx)});
  return svg.file();
}

interface ChartBox extends Point {
  readonly width: number;
  readonly height: number;
}

function drawChart(
  svg: SvgDrawing,
  {names, fontPx, theme}: ChartsModel,
  {title}: Measure,
  chart: Chart,
  box: ChartBox,
): void {
  const {text, dim, accent} = PALETTES[theme];
  const [plain, bold] = [fontOf(fontPx), `600 ${fontOf(fontPx)}`];
  drawText(svg, title, {x: box.x, y: box.y + fontPx * 0.6}, {colour: text, font: bold});
  drawAxis(svg, chart, box, {dim, line: PALETTES[theme].line, font: plain, fontPx});
  for (const [pane, row] of chart.rows.entries()) {
    drawRow(svg, row, box, theme);
    const name = names[pane] ?? '';
    const y = box.y + row.nameY;
    drawText(svg, name, {x: box.x, y}, {colour: text, font: bold});
    const left = box.x + (name.length * BOLD_EM + 1) * fontPx;
    drawText(svg, rowText(row), {x: left, y}, {colour: dim, font: plain});
    const style = {colour: accent, font: bold, align: 'right'} as const;
    drawText(svg, dotText(row.shown), {x: box.x + box.width, y}, style);
    const mark = {x: box.x + row.shown.x, y: box.y + row.shown.y};
    const line = {colour: accent, width: fontPx * 0.2};
    svg.drawCircle(mark, fontPx * 0.4, {fill: PALETTES[theme].background, line});
  }
}

interface AxisStyle {
  readonly dim: string;
  readonly line: string;
  readonly font: string;
  readonly fontPx: number;
}

function drawAxis(
  svg: SvgDrawing,
  {x, ticks, axisY, neverX}: Chart,
  box: ChartBox,
  {dim, line, font, fontPx}: AxisStyle,
): void {
  const style = {colour: dim, font, align: 'center'} as const;
  const y = box.y + axisY + fontPx * 0.8;
  for (const ms of ticks) {
    const points = [fontPx * 1.5, axisY].map(at => ({x: box.x + x(ms), y: box.y + at}));
    drawLine(svg, points, {colour: line, width: 1});
    drawText(svg, `${ms / 1000} s`, {x: box.x + x(ms), y}, style);
  }
  if (neverX !== null) drawText(svg, 'never', {x: box.x + neverX + fontPx * 2.25, y}, style);
}

/** Draws the middle half of the runs and the median's interval, then the dots over them, and the median on top. */
function drawRow(svg: SvgDrawing, {y, height, radius, dots, never, box}: ChartRow, at: ChartBox, theme: Theme): void {
  const {accent, dim, line} = PALETTES[theme];
  const [top, boxHeight] = [at.y + y - height * 0.45, height * 0.9];
  if (box !== null) {
    svg.globalAlpha = 0.4;
    svg.fillStyle = line;
    svg.fillRect(at.x + box.from, top, box.to - box.from, boxHeight);
    svg.globalAlpha = 0.18;
    svg.fillStyle = accent;
    const [from, to] = box.interval ?? [0, 0];
    if (to > from) svg.fillRect(at.x + from, top, to - from, boxHeight);
  }
  svg.globalAlpha = 0.75;
  for (const dot of dots) svg.drawCircle({x: at.x + dot.x, y: at.y + dot.y}, radius, {fill: dim});
  for (const dot of never) svg.drawCircle({x: at.x + dot.x, y: at.y + dot.y}, radius, {line: {colour: dim, width: 1}});
  svg.globalAlpha = 1;
  if (box === null || box.median === null) return;
  const x = at.x + box.median;
  const median = [top, top + boxHeight].map(y => ({x, y}));
  drawLine(svg, median, {colour: accent, width: 2});
}

const MARGIN_EM = 0.8;
const GAP_EM = 1.4;
const CAPTION_EM = 1.8;
/** The approximate width of a bold letter, em. */
const BOLD_EM = 0.66;
