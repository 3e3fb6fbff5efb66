import type {Figure, FigureSeries} from './figure.ts';
import {dashOf, type FigureStyle, SYMBOLS, seriesColour} from './style.ts';
import {createSvg, type FigureDocument, type SvgElement, text} from './svg.ts';

/** Draws a sample of each series' line and symbol with its name, in as many rows as needed. */
export function drawLegend(
  {series, marks}: Figure,
  document: FigureDocument,
  style: FigureStyle,
  width: number,
): {readonly element: SvgElement; readonly height: number} {
  const {fontPx, palette} = style;
  const element = createSvg(document, 'g', {'aria-label': 'legend'});
  const rowHeight = fontPx * 1.5;
  let [x, row] = [0, 0];
  for (const each of series) {
    const own = (SAMPLE_EM + 1.6 + each.name.length * CHARACTER_EM) * fontPx;
    if (x > 0 && x + own > width) [x, row] = [0, row + 1];
    const y = (row + 0.5) * rowHeight;
    const item = createSvg(document, 'g', {transform: `translate(${x},${y})`});
    item.append(...sampleOf(each, marks.kind, document, style));
    const words = {x: (SAMPLE_EM + 0.4) * fontPx, y: fontPx * 0.35, fill: palette.text};
    item.append(text(document, each.name, words));
    element.append(item);
    x += own;
  }
  return {element, height: (row + 1) * rowHeight};
}

function sampleOf(
  series: FigureSeries,
  kind: Figure['marks']['kind'],
  document: FigureDocument,
  style: FigureStyle,
): readonly SvgElement[] {
  const {fontPx, palette, lineWidth} = style;
  const {colour, isPaper} = series;
  const stroke = seriesColour(style, series);
  const size = fontPx * 0.36;
  if (kind === 'boxes') {
    const box = {x: fontPx * 0.6, y: -size, width: fontPx * 0.9, height: 2 * size};
    const symbol = symbolPath(colour, size * 0.7);
    const place = {transform: `translate(${fontPx * 1.05},0)`};
    return [
      createSvg(document, 'rect', {...box, fill: stroke, 'fill-opacity': 0.3}),
      createSvg(document, 'path', {d: symbol, fill: palette.background, stroke, ...place}),
    ];
  }
  if (kind === 'stacks') {
    return [
      createSvg(document, 'rect', {x: fontPx * 0.8, y: -size, width: fontPx * 1.2, height: 2 * size, fill: stroke}),
    ];
  }
  const dash = dashOf(colour, isPaper);
  const line = createSvg(document, 'line', {
    x1: 0,
    x2: fontPx * SAMPLE_EM,
    y1: 0,
    y2: 0,
    stroke,
    'stroke-width': lineWidth,
    ...(dash === undefined ? {} : {'stroke-dasharray': dash}),
  });
  if (kind === 'ecdf') return [line];
  const fill = isPaper ? palette.background : stroke;
  const symbol = createSvg(document, 'path', {
    d: symbolPath(colour, size),
    fill,
    stroke,
    transform: `translate(${(fontPx * SAMPLE_EM) / 2},0)`,
  });
  return kind === 'dots' ? [symbol] : [line, symbol];
}

/**
 * The SVG path of a symbol like the one that Observable Plot draws for a series. `colour` is the index of the series'
 * colour. The symbol extends about `size` px to each side.
 */
function symbolPath(colour: number, size: number): string {
  switch (SYMBOLS[colour % SYMBOLS.length]) {
    case 'square':
      return `M${-size},${-size}H${size}V${size}H${-size}Z`;
    case 'triangle':
      return `M0,${-size * 1.2}L${size * 1.15},${size * 0.8}H${-size * 1.15}Z`;
    case 'diamond':
      return `M0,${-size * 1.4}L${size},0L0,${size * 1.4}L${-size},0Z`;
    default:
      return `M${size},0A${size},${size},0,1,1,${-size},0A${size},${size},0,1,1,${size},0Z`;
  }
}

const SAMPLE_EM = 2.2;
const CHARACTER_EM = 0.58;
