import type {Box, Point} from '../drawing.ts';
import {drawTimeline} from '../drawTimeline.ts';
import type {TimelineModel} from '../model.ts';
import {SvgDrawing} from '../svgDrawing.ts';

// For tests: the lines, rectangles and texts of a model's picture, read from its SVG.

interface DrawnLine {
  readonly points: readonly Point[];
  readonly colour: string;
  readonly width: number;
  /** The dashes as in SVG; empty for a solid line. */
  readonly dash: string;
}

interface DrawnText extends Point {
  readonly text: string;
  readonly anchor: string;
  readonly fontPx: number;
}

interface DrawnRect extends Box {
  readonly colour: string;
  readonly opacity: number;
}

export function drawn(model: TimelineModel) {
  const svg = new SvgDrawing(model, '#background');
  drawTimeline(svg, model);
  const [, ...elements] = svg.file().match(/<(path d=|rect|text)[^>]*>([^<]*)/g) ?? [];
  return {
    lines: elements.filter(each => each.includes('stroke=')).map(lineOf),
    rects: elements.filter(each => each.startsWith('<rect')).map(rectOf),
    texts: elements.filter(each => each.startsWith('<text')).map(textOf),
  };
}

/**
 * What the picture has only because a loss is explained: the difference between the pictures with and without the
 * explanation. Objects 1 and 2 are highlighted in both pictures.
 */
export function drawnOfLoss(model: TimelineModel) {
  const hovered = new Set([1, 2]);
  const [without, all] = [drawn({...model, hovered, explained: null}), drawn({...model, hovered})];
  const only = <T>(more: readonly T[], fewer: readonly T[]): readonly T[] => {
    const known = new Set(fewer.map(each => JSON.stringify(each)));
    return more.filter(each => !known.has(JSON.stringify(each)));
  };
  return {
    lines: only(all.lines, without.lines),
    rects: only(all.rects, without.rects),
    texts: only(all.texts, without.texts),
  };
}

function lineOf(element: string): DrawnLine {
  const points = [...attribute(element, 'd').matchAll(/[ML](\S+) ([^ML]+)/g)];
  return {
    points: points.map(([, x, y]) => ({x: Number(x), y: Number(y)})),
    colour: attribute(element, 'stroke'),
    width: Number(attribute(element, 'stroke-width')),
    dash: attribute(element, 'stroke-dasharray'),
  };
}

function rectOf(element: string): DrawnRect {
  const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map(name =>
    Number(attribute(element, name)),
  );
  const opacity = Number(attribute(element, 'opacity') || 1);
  return {x, y, width, height, colour: attribute(element, 'fill'), opacity};
}

function textOf(element: string): DrawnText {
  return {
    text: element.replace(/.*>/, ''),
    x: Number(attribute(element, 'x')),
    y: Number(attribute(element, 'y')),
    anchor: attribute(element, 'text-anchor'),
    fontPx: Number(/([\d.]+)px/.exec(attribute(element, 'style'))?.[1]),
  };
}

function attribute(element: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? '';
}
