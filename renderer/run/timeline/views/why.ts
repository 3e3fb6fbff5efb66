import type {ScaleBand} from 'd3-scale';
import {cachedByTrace} from '../../../../app/run/trace/cachedByTrace.ts';
import type {Trace} from '../../../../app/run/trace/trace.ts';
import {durationText, objectName} from '../../../../app/run/trace/traceTexts.ts';
import {CAUSE_GROUPS, CAUSE_KINDS, type CauseGroup, causeKind} from '../../../../app/run/why/causeKinds.ts';
import type {PathSpan, WhyOptions} from '../../../../app/run/why/criticalPath.ts';
import {objectPaths, objectsOnPath, type Path, pagePath} from '../../../../app/run/why/loadPaths.ts';
import {causeColour, causeGroupColour} from '../../../../app/study/figures/causeColours.ts';
import {type Box, clipped, type Drawing, drawLine, type Point} from '../drawing.ts';
import {areaMark, dimColour, ghostMarks, levelMark, textColour} from '../marks.ts';
import {scaled} from '../measures.ts';
import type {Hit, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {drawRowNames, objectAtRow, objectRows, ROW_NAMES_EM, sharesRows} from '../objectRows.ts';
import {dashOf, GHOST_ALPHA, PALETTES} from '../palette.ts';
import {oneOrEach} from '../plots.ts';
import {revealedPart} from '../reveal.ts';

/**
 * A row for each object, with a bar for each pane of the graph. The bar is the object's critical path: its colours are
 * the causes of the time from navigation until the object was complete. It is thin while the path passes through other
 * objects, before this one was known. A line goes through the rows along the critical path of the page, or of the
 * object that is highlighted or selected.
 */
export const why: View = {
  name: 'why',
  label: 'why',
  key: '7',
  height: 'high',
  leftEm: ROW_NAMES_EM,
  hasStrip: false,
  apartBy: 'rows',
  hasNameLines: false,
  graphs: (panes, layout) => oneOrEach(panes, sharesRows(panes) ? 'overlaid' : layout),
  legend: (theme, panes) =>
    groupsOf(panes).map(group => [`${CAUSE_GROUPS[group]} ■`, causeGroupColour(group, theme)] as const),
  marks: panes => [
    ...groupsOf(panes).map(group => areaMark(CAUSE_GROUPS[group], 1, 0.8, ({theme}) => causeGroupColour(group, theme))),
    levelMark('the page’s critical path', textColour),
    ...ghostMarks(panes, dimColour),
  ],
  draw,
  hit,
};

/** Returns the groups of causes that occur on the paths of these panes, in the order of {@link CAUSE_GROUPS}. */
function groupsOf(panes: readonly TimelinePane[]): readonly CauseGroup[] {
  const found = panes.flatMap(({trace, why}) => (why === undefined ? [] : [...groupsOfLoad(trace, why)]));
  return CAUSE_GROUP_NAMES.filter(group => found.includes(group));
}

const groupsOfLoad = cachedByTrace((trace: Trace, why: WhyOptions): ReadonlySet<CauseGroup> => {
  const found = new Set(
    objectPaths(trace, why)
      .flatMap(path => path ?? [])
      .map(({cause}) => cause),
  );
  return new Set(CAUSE_KINDS.filter(({name}) => found.has(name)).map(({group}) => group));
});

const CAUSE_GROUP_NAMES = Object.keys(CAUSE_GROUPS) as readonly CauseGroup[];

function pathsOf({trace, why}: TimelinePane): readonly (Path | null)[] {
  return why === undefined ? [] : objectPaths(trace, why);
}

/** The path that the line shows: that of the highlighted object, else of the selected object, else of the page. */
function shownPath({hovered, selected}: TimelineModel, pane: TimelinePane): Path | null {
  const [object = selected] = hovered;
  if (object !== null) return pathsOf(pane)[object] ?? null;
  return pane.why === undefined ? null : pagePath(pane.trace, pane.why);
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {panes} = plot;
  const rows = objectRows(plot);
  drawRowNames(drawing, model, plot, rows);
  const lines = panes.map(pane => shownPath(model, pane));
  clipped(drawing, revealedPart(model, plot, plot.box), () => {
    for (const [number, pane] of panes.entries()) {
      const lifted = lines[number] == null ? null : objectsOnPath(lines[number]);
      for (const [object, path] of pathsOf(pane).entries()) {
        if (path === null) continue;
        const isDimmed = isOneShown(model) && lifted !== null && !lifted.has(object);
        drawing.globalAlpha = isDimmed ? DIMMED_ALPHA : 1;
        drawBar(drawing, model, plot, path, {object, box: barBox(model, plot, rows, {pane: number, object})});
      }
      drawing.globalAlpha = 1;
      drawBefore(drawing, model, plot, rows, number);
    }
    for (const [number, line] of lines.entries()) {
      if (line !== null) drawPath(drawing, model, plot, rows, {path: line, pane: number});
    }
  });
}

/** Whether the line shows the path of one object. The objects that this path does not go through are then dimmed. */
function isOneShown({hovered, selected}: TimelineModel): boolean {
  return hovered.size > 0 || selected !== null;
}

interface BarPlace {
  readonly pane: number;
  readonly object: number;
}

/** The place of a pane's bar in the row of an object. Its width is that of the graph. */
function barBox(model: TimelineModel, plot: Plot, rows: ScaleBand<number>, {pane, object}: BarPlace): Box {
  const height = rows.bandwidth() / plot.panes.length;
  const y = (rows(object) ?? 0) + pane * height;
  // the line of the path has its place below the bar
  return {...plot.box, y, height: Math.max(height - scaled(model, LINE_PX), 1)};
}

/** Draws a line at the top of each bar: the time until the object was complete in the previous run. */
function drawBefore(drawing: Drawing, model: TimelineModel, plot: Plot, rows: ScaleBand<number>, pane: number): void {
  drawing.globalAlpha = 2 * GHOST_ALPHA;
  drawing.fillStyle = dimColour(model);
  for (const [object, {completeNs}] of (plot.panes[pane]?.before?.objects ?? []).entries()) {
    const {y} = barBox(model, plot, rows, {pane, object});
    if (completeNs !== null) drawing.fillRect(plot.x(0), y, plot.x(completeNs) - plot.x(0), scaled(model, 1));
  }
  drawing.globalAlpha = 1;
}

interface Bar {
  readonly object: number;
  readonly box: Box;
}

function drawBar(drawing: Drawing, model: TimelineModel, {x}: Plot, path: Path, {object, box}: Bar): void {
  for (const span of path) {
    const {y, height} = spanBox(model, span, object, box);
    drawing.fillStyle = causeColour(span.cause, model.theme);
    drawing.fillRect(x(span.fromNs), y, x(span.untilNs) - x(span.fromNs), height);
  }
}

/** The y and the height of a span in a bar. The height is low while the path passes through another object. */
function spanBox(model: TimelineModel, {object: through}: PathSpan, object: number, {y, height}: Box) {
  if (through === object) return {y, height};
  const low = Math.max(LOW_SHARE * height, scaled(model, 1));
  return {y: y + (height - low) / 2, height: low};
}

/** Draws the line along a path: below the bar of each object that it passes through, and down or up to the next one. */
function drawPath(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  rows: ScaleBand<number>,
  {path, pane}: {readonly path: Path; readonly pane: number},
): void {
  const points = path.flatMap(({fromNs, untilNs, object}): readonly Point[] => {
    const {y, height} = barBox(model, plot, rows, {pane, object});
    return [fromNs, untilNs].map(ns => ({x: plot.x(ns), y: y + height + scaled(model, LINE_PX / 2)}));
  });
  const {background, text} = PALETTES[model.theme];
  drawLine(drawing, points, {colour: background, width: scaled(model, LINE_PX)});
  const dash = plot.panes.length > 1 ? dashOf(model, pane) : [];
  drawLine(drawing, points, {colour: text, width: scaled(model, 1.5), dash});
}

function hit(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const object = objectAtRow(plot, point);
  if (object === undefined) return undefined;
  const rows = objectRows(plot);
  const atNs = plot.x.invert(point.x);
  for (const [number, pane] of plot.panes.entries()) {
    const {y, height} = barBox(model, plot, rows, {pane: number, object});
    if (point.y < y || point.y > y + height + scaled(model, LINE_PX)) continue;
    const span = pathsOf(pane)[object]?.find(({fromNs, untilNs}) => fromNs <= atNs && atNs < untilNs);
    if (span !== undefined && point.x >= plot.box.x) return {kind: 'cause', trace: pane.trace, object, span};
  }
  return {kind: 'object', object};
}

/**
 * The tooltip's text about a part of a bar, such as
 * `/b.png: head-of-line blocking, 240 ms, for a lost packet with data of /a.jpg`.
 */
export function causeText({trace, object, span}: Extract<Hit, {kind: 'cause'}>): string {
  const {cause, fromNs, untilNs, object: through, packet} = span;
  const lost = packet === undefined ? [] : trace.objectsOf(packet).map(each => objectName(trace, each.object));
  const other = through === object ? '' : ` (its critical path still passes through ${objectName(trace, through)})`;
  const whose = lost.length === 0 ? '' : `, for a lost packet with data of ${[...new Set(lost)].join(', ')}`;
  return `${objectName(trace, object)}${other}: ${causeKind(cause).label}, ${durationText(untilNs - fromNs)}${whose}`;
}

/** The room for the line of the path below each bar, in px if the text has 13 px. */
const LINE_PX = 3;
/** The height of a bar while its path passes through other objects, as a share of its full height. */
const LOW_SHARE = 0.3;
const DIMMED_ALPHA = 0.25;
