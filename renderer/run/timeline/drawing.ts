/**
 * The part of a canvas's context with which pictures are drawn. Besides a canvas's context, {@link SvgDrawing}
 * implements it.
 */
export type Drawing = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'stroke'
  | 'fillRect'
  | 'fillText'
  | 'rect'
  | 'clip'
  | 'save'
  | 'restore'
  | 'setLineDash'
  | 'globalAlpha'
  | 'lineWidth'
  | 'strokeStyle'
  | 'fillStyle'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
> &
  // only a canvas has this method; the transform's scale is the number of pixels in a CSS px
  Partial<Pick<CanvasRenderingContext2D, 'getTransform'>>;

/** A rectangle, CSS px. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface LineStyle {
  readonly colour: string;
  readonly width: number;
  readonly dash?: readonly number[];
}

/** Draws a line along the points, without the points that no pixel would show. By default the line is not dashed. */
export function drawLine(drawing: Drawing, points: readonly Point[], {colour, width, dash = []}: LineStyle): void {
  const [first] = points;
  if (first === undefined) return;
  drawing.strokeStyle = colour;
  drawing.lineWidth = width;
  if (dash.length > 0) drawing.setLineDash([...dash]);
  drawing.beginPath();
  drawing.moveTo(first.x, first.y);
  let before = first;
  for (let i = 1; i < points.length; i++) {
    const [point = before, after] = [points[i], points[i + 1]];
    // leaves out a point whose y is between those of its neighbours, if the neighbours' x differ by less than half a px
    if (after !== undefined && isOnTheWay(before, point, after)) continue;
    drawing.lineTo(point.x, point.y);
    before = point;
  }
  drawing.stroke();
  if (dash.length > 0) drawing.setLineDash([]);
}

function isOnTheWay(before: Point, {y}: Point, after: Point): boolean {
  const isBetween = before.y <= after.y ? before.y <= y && y <= after.y : after.y <= y && y <= before.y;
  return isBetween && Math.abs(after.x - before.x) < 0.5;
}

/** Draws a diagonal cross, which marks a lost packet. */
export function drawCross(
  drawing: Drawing,
  {x, y}: Point,
  {size, width, colour}: {readonly size: number; readonly width: number; readonly colour: string},
): void {
  const half = size / 2;
  for (const slope of [1, -1]) {
    drawLine(
      drawing,
      [
        {x: x - half, y: y - half * slope},
        {x: x + half, y: y + half * slope},
      ],
      {colour, width},
    );
  }
}

/** Draws an empty diamond around a point. */
export function drawDiamond(
  drawing: Drawing,
  {x, y}: Point,
  {size, width, colour}: {readonly size: number; readonly width: number; readonly colour: string},
): void {
  const half = size / 2;
  // drawLine would leave out a corner of a closed line
  for (const below of [-half, half]) {
    const corners = [
      {x: x - half, y},
      {x, y: y + below},
      {x: x + half, y},
    ];
    drawLine(drawing, corners, {colour, width});
  }
}

/** Calls `draw`, and clips what it draws to the box. */
export function clipped(drawing: Drawing, box: Box, draw: () => void): void {
  const scale = drawing.getTransform?.().a;
  const {x, y, width, height} = scale === undefined ? box : wholePixels(box, scale);
  drawing.save();
  drawing.beginPath();
  drawing.rect(x, y, width, height);
  drawing.clip();
  draw();
  drawing.restore();
}

/** Extends a box to whole pixels, because clipping at fractions of pixels takes twice the time. */
function wholePixels({x, y, width, height}: Box, scale: number): Box {
  const [left, top] = [x, y].map(at => Math.floor(at * scale) / scale) as [number, number];
  const [right, bottom] = [x + width, y + height].map(at => Math.ceil(at * scale) / scale) as [number, number];
  return {x: left, y: top, width: right - left, height: bottom - top};
}

/** Draws text at a point. `align` and `baseline` have the same meaning as for a canvas. */
export function drawText(
  drawing: Drawing,
  text: string,
  {x, y}: Point,
  style: {
    readonly colour: string;
    readonly font: string;
    readonly align?: CanvasTextAlign;
    readonly baseline?: CanvasTextBaseline;
  },
): void {
  drawing.fillStyle = style.colour;
  drawing.font = style.font;
  drawing.textAlign = style.align ?? 'left';
  drawing.textBaseline = style.baseline ?? 'middle';
  drawing.fillText(text, x, y);
}

/**
 * Draws the background of a text that begins at a point, so that the text can be read over what is drawn there. It is
 * slightly transparent.
 */
export function drawPlate(drawing: Drawing, background: string, {x, y}: Point, width: number, fontPx: number): void {
  drawing.fillStyle = background;
  drawing.globalAlpha = PLATE_ALPHA;
  drawing.fillRect(x - fontPx * 0.2, y - fontPx * 0.6, width + fontPx * 0.4, fontPx * 1.2);
  drawing.globalAlpha = 1;
}

/** The opacity of what is drawn behind texts and marks. */
export const PLATE_ALPHA = 0.82;
