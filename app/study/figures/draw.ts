import * as Plot from '@observablehq/plot';
import type {Figure} from './figure.ts';
import {drawLegend} from './legend.ts';
import {absentMarks, marksOf} from './marks.ts';
import {TYPEFACE} from './palette.ts';
import {axisText} from './quantities.ts';
import type {FigureStyle} from './style.ts';
import {createSvg, type FigureDocument, type SvgElement, text} from './svg.ts';

export interface DrawOptions {
  /** A browser's document, or jsdom's. */
  readonly document: FigureDocument;
  readonly style: FigureStyle;
  /** Width of the figure in px. By default, it is as wide as the panels need. */
  readonly width?: number;
  /** Height of all panels and axes together, px. By default, it depends on the number of rows of panels. */
  readonly height?: number;
  /** Whether title and caption are left out. The caller then shows them elsewhere. */
  readonly isBare?: boolean;
}

/** Draws a figure as a self-contained SVG element. */
export function drawFigure(figure: Figure, options: DrawOptions): SvgElement {
  const {document, style, isBare = false} = options;
  const {fontPx, palette} = style;
  const width = options.width ?? widthOf(figure, style);
  const line = fontPx * LINE;
  const margin = fontPx;
  const most = Math.floor((width - 2 * margin) / (fontPx * CHARACTER_EM));
  const caption = isBare ? [] : figure.caption.flatMap(sentence => wrapped(sentence, most));
  const title = isBare ? [] : wrapped(figure.title, Math.floor(most / TITLE_SIZE));
  const titleHeight = title.length * line * TITLE_SIZE + (isBare ? 0 : line * 0.4);
  const legend = drawLegend(figure, document, style, width - 2 * margin);
  const plot = plotOf(figure, {...options, width});
  const plotTop = titleHeight + legend.height;
  const plotHeight = Number(plot.getAttribute('height'));
  const height = Math.ceil(plotTop + plotHeight + caption.length * line + (isBare ? 0 : margin));
  const svg = createSvg(document, 'svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': figure.title,
    'font-family': TYPEFACE,
    'font-size': fontPx,
  });
  svg.append(createSvg(document, 'rect', {width, height, fill: palette.background}));
  const write = (words: string, y: number, attributes: {readonly [name: string]: string | number}): void =>
    svg.append(text(document, words, {x: margin, y, ...attributes}));
  for (const [i, words] of title.entries()) {
    const bold = {'font-weight': 600, 'font-size': fontPx * TITLE_SIZE};
    write(words, line * (1.05 + i * TITLE_SIZE), {fill: palette.text, ...bold});
  }
  legend.element.setAttribute('transform', `translate(${margin},${titleHeight})`);
  svg.append(legend.element);
  plot.setAttribute('y', String(plotTop));
  svg.append(plot);
  for (const [i, words] of caption.entries()) {
    write(words, plotTop + plotHeight + (i + 0.8) * line, {fill: palette.dim});
  }
  return svg;
}

function plotOf(figure: Figure, options: DrawOptions & {readonly width: number}): SvgElement {
  const {document, style, width, height} = options;
  const {fontPx, palette} = style;
  const columns = columnsOf(figure);
  const rows = Math.ceil(figure.panels.length / columns);
  const isNamed = figure.panels.some(name => name !== '');
  const marginLeft = fontPx * 4.2;
  const plot = Plot.plot({
    document: document as never,
    width,
    height: height ?? Math.round(rows * fontPx * ROW_EM + fontPx * 5),
    marginLeft,
    marginRight: fontPx,
    marginTop: fontPx * (figure.panels.length > 1 ? 1.8 : 2.8),
    marginBottom: fontPx * 3.4,
    style: {fontSize: `${fontPx}px`, color: palette.text, background: 'none', overflow: 'visible'},
    x: {...xOptions(figure, width / columns / fontPx), line: true},
    y: {
      label: axisText(figure.y),
      grid: true,
      nice: true,
      ...(figure.y.isLogarithmic ? {type: 'log', tickFormat: String} : {zero: true}),
      labelAnchor: 'top',
      tickSize: 0,
      ticks: 5,
      ...(isFlat(figure) && !figure.y.isLogarithmic ? {domain: [0, 1]} : {}),
    },
    ...(figure.panels.length > 1 ? {fx: {axis: null, padding: 0.08}, fy: {axis: null, padding: 0.22}} : {}),
    marks: [
      Plot.frame({stroke: palette.line}),
      ...(isNamed ? [panelNames(figure, columns, fontPx, palette.text)] : []),
      ...marksOf(figure, style, columns),
      ...absentMarks(figure, style, columns),
    ],
  });
  return plot as unknown as SvgElement;
}

/** The names above the panels. */
function panelNames({panels}: Figure, columns: number, fontPx: number, fill: string): Plot.Markish {
  const names = panels.map((name, i) => ({name, fx: i % columns, fy: Math.floor(i / columns)}));
  const facet = panels.length > 1 ? {fx: 'fx', fy: 'fy'} : {};
  const place = {frameAnchor: 'top-right', lineAnchor: 'bottom', dy: -fontPx * 0.4} as const;
  return Plot.text(names, {...facet, ...place, text: 'name', fontWeight: 600, fill});
}

/** The scale of the x axis. `em` is a panel's width in em. */
function xOptions({x, marks}: Figure, em: number): Plot.ScaleOptions {
  const label = axisText(x);
  if (marks.kind === 'dots' || marks.kind === 'boxes' || marks.kind === 'stacks') {
    const domain = (x.places ?? [...new Set(marks.points.map(point => point.x))]).map(String);
    const step = Math.ceil((domain.length * TICK_EM) / em);
    // The last tick always has a text, because on an axis of loss rates the last is the highest. Most claims are about
    // that rate.
    const shown = domain.filter((_, i) => (domain.length - 1 - i) % step === 0);
    return {type: 'band', label, domain, ticks: shown as never, paddingInner: 0.1, paddingOuter: 0.1};
  }
  const numbers =
    marks.kind === 'lines' ? [...(x.places ?? []).map(Number), ...marks.points.map(point => point.x)] : [];
  const ends = [Math.min(...numbers), Math.max(...numbers)];
  const own = {
    ...(ends[0] !== ends[1] && numbers.length > 0 ? {domain: ends} : {}),
    insetLeft: 6,
    insetRight: 6,
  };
  if (x.isLogarithmic && marks.kind === 'lines') {
    return {type: 'log', label, ticks: apart(numbers, em / TICK_EM) as never, tickFormat: String, ...own};
  }
  return {label, ticks: Math.max(2, Math.round(em / TICK_EM)), ...own};
}

/**
 * Returns the numbers on a logarithmic axis that get a text. Neighbours are at least 1/`most` of the axis apart, so
 * that texts do not overlap.
 */
function apart(numbers: readonly number[], most: number): readonly number[] {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const least = Math.log((sorted.at(-1) ?? 1) / (sorted[0] ?? 1)) / most;
  let before = 0;
  return sorted.filter(each => {
    const hasRoom = before === 0 || Math.log(each / before) >= least;
    if (hasRoom) before = each;
    return hasRoom;
  });
}

/** Whether the y axis goes from 0 to 1. It does if all values are 0, or if the values are shares. */
function isFlat({marks}: Figure): boolean {
  switch (marks.kind) {
    case 'lines':
      return marks.points.every(({y, interval}) => y === 0 && (interval?.[1] ?? 0) === 0);
    case 'dots':
      return marks.points.every(({values}) => values.every(({y}) => y === 0));
    case 'boxes':
      return marks.points.every(({whiskers}) => whiskers[1] === 0);
    case 'stacks':
      return marks.points.every(({to}) => to === 0);
    case 'ecdf':
      return true;
  }
}

/** Number of panels in a row. */
function columnsOf({panels}: Figure): number {
  return Math.min(panels.length, panels.length === 4 ? 4 : 3);
}

function widthOf(figure: Figure, {fontPx}: FigureStyle): number {
  return Math.round(fontPx * (6 + PANEL_EM * Math.max(2, columnsOf(figure))));
}

/** Breaks a text into lines of at most `most` characters. */
function wrapped(sentence: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Height of a line, em. */
const LINE = 1.45;
/** Size of the title's bold letters, relative to the other text. */
const TITLE_SIZE = 1.15;
/** The estimated width of a letter, em. jsdom cannot measure text. */
const CHARACTER_EM = 0.52;
const PANEL_EM = 21;
const ROW_EM = 19;
/** Width of a tick's text, em. */
const TICK_EM = 3;
