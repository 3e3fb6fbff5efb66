import {type ScaleLinear, scaleLinear} from 'd3-scale';
import type {Thresholds} from '../../../app/run/quality/states.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {type Hovered, isDimmed} from '../../session/hovered.ts';
import {type Box, type Drawing, drawLine, drawText, type Point} from '../timeline/drawing.ts';
import {fontOf, PALETTES} from '../timeline/palette.ts';
import {meanAt, type SharedCurve} from './curves.ts';

/** Everything that the picture 'quality by bytes' depends on. */
export interface CurvesModel {
  /** The curves of the page's own pictures. */
  readonly own: readonly SharedCurve[];
  /** The curves of baseline JPEGs with the same pixels; null until the JPEGs are made. */
  readonly baseline: readonly SharedCurve[] | null;
  /** The name of the page's own curves. */
  readonly ownName: string;
  readonly thresholds: Thresholds;
  readonly theme: Theme;
  readonly hovered: Hovered;
  /** The size of the whole picture, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
}

/** Draws a line for each picture, a dashed line for its baseline JPEG, bold lines for the means, and the thresholds. */
export function drawCurves(drawing: Drawing, model: CurvesModel): void {
  const {own, baseline, theme, hovered, fontPx} = model;
  const {x, y, box} = scalesOf(model);
  drawGrid(drawing, model);
  for (const [curves, dash] of [
    [baseline ?? [], dashOf(fontPx)],
    [own, []],
  ] as const) {
    for (const {object, at, rises} of curves) {
      drawing.globalAlpha = isDimmed(hovered, object) ? 0.12 : curves === own ? 0.9 : 0.55;
      const colour = objectColour(object, theme);
      const width = (hovered.has(object) ? 3.5 : 1.5) * (fontPx / 13);
      drawLine(drawing, stepPoints(x, y, rises, at), {colour, width, dash});
    }
  }
  drawing.globalAlpha = 1;
  const colour = PALETTES[theme].text;
  const width = 4 * (fontPx / 13);
  for (const [curves, dash] of meansOf(model)) {
    const points = PERCENTS.map(percent => ({x: x(percent), y: y(meanAt(curves, percent / 100))}));
    drawLine(drawing, points, {colour, width, dash});
  }
  drawThresholds(drawing, model, box, y);
  drawNames(drawing, model, box);
}

function drawGrid(drawing: Drawing, model: CurvesModel): void {
  const {theme, fontPx, height} = model;
  const {line, dim} = PALETTES[theme];
  const {x, y, box} = scalesOf(model);
  const style = {colour: dim, font: fontOf(fontPx)};
  for (const quality of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    const at = y(quality);
    drawLine(drawing, across(box, at), {colour: line, width: 1});
    drawText(drawing, quality.toFixed(1), {x: box.x - fontPx * 0.5, y: at}, {...style, align: 'right'});
  }
  for (const percent of [0, 25, 50, 75, 100]) {
    const points = [box.y, box.y + box.height].map(at => ({x: x(percent), y: at}));
    drawLine(drawing, points, {colour: line, width: 1});
    const place = {x: x(percent), y: box.y + box.height + fontPx};
    drawText(drawing, `${percent} %`, place, {...style, align: 'center'});
  }
  const below = {x: box.x + box.width / 2, y: height - fontPx * 0.7};
  const caption = model.baseline === null ? '' : '; baseline: the same pixels encoded again with about as many bytes';
  drawText(drawing, `share of a picture’s bytes${caption}`, below, {...style, align: 'center'});
}

/** Draws the thresholds, with their names to the right of the graph. */
function drawThresholds(
  drawing: Drawing,
  {thresholds, theme, fontPx}: CurvesModel,
  box: Box,
  y: ScaleLinear<number, number>,
): void {
  const {accent} = PALETTES[theme];
  for (const [name, quality] of Object.entries(thresholds) as [string, number][]) {
    drawLine(drawing, across(box, y(quality)), {colour: accent, width: 1.5 * (fontPx / 13)});
    const place = {x: box.x + box.width + fontPx * 0.4, y: y(quality)};
    drawText(drawing, `${name} ${quality.toFixed(2)}`, place, {colour: accent, font: fontOf(fontPx)});
  }
}

/** Draws the legend above the graph. */
function drawNames(drawing: Drawing, model: CurvesModel, box: Box): void {
  const {theme, fontPx, ownName} = model;
  const {text, dim} = PALETTES[theme];
  const y = fontPx * 0.9;
  // the legend begins after the name of the y axis
  let left = box.x + fontPx * 9;
  for (const [i, [, dash]] of meansOf(model).entries()) {
    const points = [left, left + fontPx * 3].map(x => ({x, y}));
    drawLine(drawing, points, {colour: text, width: 4 * (fontPx / 13), dash});
    const name = `mean, ${i === 0 ? ownName : 'baseline'}`;
    drawText(drawing, name, {x: left + fontPx * 3.5, y}, {colour: text, font: `600 ${fontOf(fontPx)}`});
    left += fontPx * (6 + name.length * 0.62);
  }
  drawText(drawing, 'quality (SSIM)', {x: 0, y}, {colour: dim, font: fontOf(fontPx)});
}

function meansOf({
  own,
  baseline,
  fontPx,
}: CurvesModel): readonly (readonly [readonly SharedCurve[], readonly number[]])[] {
  return [[own, []] as const, ...(baseline === null ? [] : [[baseline, dashOf(fontPx)] as const])];
}

function scalesOf({width, height, fontPx}: CurvesModel) {
  const box: Box = {x: fontPx * 2.6, y: fontPx * 2.4, width: width - fontPx * 13, height: height - fontPx * 6};
  return {
    box,
    x: scaleLinear([0, 100], [box.x, box.x + box.width]),
    y: scaleLinear([0, 1], [box.y + box.height, box.y]),
  };
}

/** The points of a step function, which goes up at each rise and is level in between. */
function stepPoints(
  x: ScaleLinear<number, number>,
  y: ScaleLinear<number, number>,
  rises: readonly number[],
  at: SharedCurve['at'],
): readonly Point[] {
  let before = 0;
  return [0, ...rises].flatMap(share => {
    const from = {x: x(100 * share), y: y(before)};
    before = at(share);
    return [from, {x: x(100 * share), y: y(before)}];
  });
}

function across({x, width}: Box, y: number): readonly Point[] {
  return [
    {x, y},
    {x: x + width, y},
  ];
}

function dashOf(fontPx: number): readonly number[] {
  return [5, 4].map(px => (px * fontPx) / 13);
}

const PERCENTS = Array.from({length: 101}, (_, percent) => percent);
