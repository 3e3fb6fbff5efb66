import {PERCENTS} from '../../../app/run/metrics/metrics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {measureVisual} from '../../../app/run/quality/visual.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {textWidth} from './measures.ts';
import {type MilestoneKey, milestoneWriter, timeText} from './milestoneText.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {paneNames} from './names.ts';
import {revealedNs} from './reveal.ts';
import {yAxisOf} from './yAxes.ts';

/** A time at which the page of a pane has reached a state, for example that all objects have 25 % of their bytes. */
export interface Milestone {
  readonly key: MilestoneKey;
  readonly seconds: number;
  /** The x of its line, CSS px. */
  readonly x: number;
}

/** A label of one or more neighbouring milestones. It is before the first of their lines or after the last. */
interface MilestoneLabel {
  readonly text: string;
  /** The milestones that share the label, in order of time. */
  readonly keys: readonly MilestoneKey[];
  /** Where the text begins and ends, CSS px. */
  readonly from: number;
  readonly to: number;
  readonly isBefore: boolean;
}

/**
 * The visible milestones of a pane in a graph, in order of time. If the graph has more than two panes, only the last
 * milestone of the page ({@link isEnd}) is returned.
 */
export function milestones(model: TimelineModel, {box, panes, x}: Plot, pane: number): readonly Milestone[] {
  const one = panes[pane];
  if (one === undefined) return [];
  const isVisual = yAxisOf(model).name === 'visual' && model.eye !== null;
  const times = isVisual ? visualTimes(one.trace, model.eye) : pageTimes(one);
  return times
    .filter(([key]) => panes.length < 3 || isEnd({key}))
    .flatMap(([key, atNs]) => {
      const isInSight = atNs <= revealedNs(model) && x(atNs) >= box.x && x(atNs) <= box.x + box.width;
      return isInSight ? [{key, seconds: atNs / 1e9, x: x(atNs)}] : [];
    })
    .sort((a, b) => a.x - b.x);
}

type MilestoneTime = readonly [key: MilestoneKey, atNs: number];

/** The times when every object had at least 25, 50, 75 and 100 % of its bytes (the times `%Page` of paper N07, §5). */
function pageTimes({trace, metrics}: TimelinePane): readonly MilestoneTime[] {
  const fromNs = trace.objects[0]?.requestNs ?? 0;
  return PERCENTS.flatMap((percent): MilestoneTime[] => {
    const ms = metrics.pPageMs[percent];
    return ms === null ? [] : [[percent, fromNs + ms * 1e6]];
  });
}

/** When all pictures are recognisable, when all are good, and when 85 % and 100 % of the first screen can be seen. */
function visualTimes(trace: Trace, {quality, thresholds}: Eye): readonly MilestoneTime[] {
  const {recognisableMs, goodMs, visuallyCompleteMs} = measureVisual(trace, quality, thresholds);
  const times: readonly (readonly [MilestoneKey, number | null])[] = [
    ['recognisable', recognisableMs],
    ['good', goodMs],
    ['85 % visual', visuallyCompleteMs[85]],
    ['100 % visual', visuallyCompleteMs[100]],
  ];
  return times.flatMap(([key, ms]): MilestoneTime[] => (ms === null ? [] : [[key, ms * 1e6]]));
}

/** What is written after a pane's name, in the same line. */
interface Heading {
  readonly note: {readonly text: string; readonly left: number} | undefined;
  readonly labels: readonly MilestoneLabel[];
}

/**
 * The longest note that leaves room for the last milestone's label, and the milestones' labels, which stand after the
 * note.
 */
export function heading(model: TimelineModel, plot: Plot, pane: number): Heading {
  const {fontPx} = model;
  const left = (paneNames(model, plot.panes)[pane]?.right ?? plot.box.x) + fontPx;
  const hasEnd = milestones(model, plot, pane).some(isEnd);
  for (const text of axisNotes(model, plot, pane)) {
    const right = left + textWidth(text, fontPx);
    const labels = labelsFrom(model, plot, pane, right + fontPx);
    const isEndLabelled = labels.some(({keys}) => keys.some(key => isEnd({key})));
    if (right <= model.width && (isEndLabelled || !hasEnd)) return {note: {text, left}, labels};
  }
  const labels = labelsFrom(model, plot, pane, left);
  // a narrow gap is better than a graph that does not say when its page was complete
  return {note: undefined, labels: labels.length > 0 ? labels : labelsFrom(model, plot, pane, left - 0.7 * fontPx)};
}

/**
 * Places labels in the line of the pane's name, from the x position `from` on (CSS px). The labels are in order and do
 * not overlap; each is beside its own lines and covers no other line. Milestones that are too close for that share a
 * label. If there is no room for all labels, those of the first milestones are left out. For visual milestones, those
 * of the least important milestones are left out instead. The last milestone of the page ({@link isEnd}) gets its label
 * if there is room beside its line, even if the label covers other lines.
 */
function labelsFrom(model: TimelineModel, plot: Plot, pane: number, from: number): readonly MilestoneLabel[] {
  const lines = milestones(model, plot, pane);
  const {inFull, inShort} = milestoneWriter(lines);
  for (const labelled of fewerAndFewer(lines)) {
    for (const write of [inFull, inShort]) {
      for (const groups of partitions(labelled)) {
        const labels = place(model, groups, lines, write, from);
        if (labels !== undefined) return labels;
      }
    }
  }
  const end = lines.filter(isEnd);
  return end.length === 0 ? [] : (place(model, [end], end, inShort, from) ?? []);
}

function fewerAndFewer(lines: readonly Milestone[]): readonly (readonly Milestone[])[] {
  if (lines.every(({key}) => typeof key === 'number')) return lines.map((_, without) => lines.slice(without));
  const gone = LEAST_FIRST.map((_, i) => LEAST_FIRST.slice(0, i));
  return gone.map(keys => lines.filter(({key}) => !keys.includes(key))).filter(({length}) => length > 0);
}

type Group = readonly Milestone[];

/**
 * Places the groups from left to right, each before or after its lines. Undefined if there is no room for one of them.
 */
function place(
  model: TimelineModel,
  [group, ...others]: readonly Group[],
  lines: readonly Milestone[],
  write: (group: Group) => string,
  from: number,
): readonly MilestoneLabel[] | undefined {
  if (group === undefined) return [];
  const {fontPx, width} = model;
  const [first, last] = [group[0]?.x ?? 0, group.at(-1)?.x ?? 0];
  const widest = group.some(isEnd) ? WIDEST_WITH_END_EM : WIDEST_GROUP_EM;
  if (last - first > widest * fontPx) return undefined;
  const [text, gap] = [write(group), fontPx * 0.3];
  const long = textWidth(text, fontPx);
  const [before, after] = [first - gap - long, last + gap];
  // the label of the last milestone is after its line if possible
  for (const left of group.some(isEnd) ? [after, before] : [before, after]) {
    const right = left + long;
    const isOver = lines.some(line => !group.includes(line) && line.x > left - gap && line.x < right + gap);
    if (left < from || right > width || isOver) continue;
    const rest = place(model, others, lines, write, right + fontPx * 0.6);
    if (rest === undefined) continue;
    const keys = group.map(({key}) => key);
    return [{text, keys, from: left, to: right, isBefore: left === before}, ...rest];
  }
  return undefined;
}

/** Every way to divide the lines into groups of neighbours. Divisions with more groups come first. */
function partitions([first, ...others]: readonly Milestone[]): readonly (readonly Group[])[] {
  if (first === undefined) return [[]];
  return partitions(others)
    .flatMap(([next, ...rest]) =>
      next === undefined
        ? [[[first]]]
        : [
            [[first], next, ...rest],
            [[first, ...next], ...rest],
          ],
    )
    .sort((a, b) => b.length - a.length);
}

/** Whether a milestone is the page's last one: everything has arrived, or everything can be seen. */
export function isEnd({key}: {readonly key: MilestoneKey}): boolean {
  return key === 100 || key === '100 % visual';
}

/** The visual milestones, in the order in which they are left out if there is no room. */
const LEAST_FIRST: readonly MilestoneKey[] = ['85 % visual', 'good', 'recognisable', '100 % visual'];

/**
 * The largest distance between lines that share a label. With more distance, a reader would not see that the label
 * belongs to all of these lines.
 */
const WIDEST_GROUP_EM = 10;
/** The same limit for a group with the last milestone, whose line must be found at a glance. */
const WIDEST_WITH_END_EM = 4;

/**
 * The notes that can follow a pane's name, the longest first: what the y axis counts (unless the user chose bytes), and
 * the Speed Index if the axis counts what can be seen.
 */
function axisNotes(model: TimelineModel, {panes}: Plot, pane: number): readonly string[] {
  const {words, name} = yAxisOf(model);
  if (words === '') return [];
  const [{trace} = {}, {eye}] = [panes[pane], model];
  if (name !== 'visual' || trace === undefined || eye === null) return [words];
  const {speedIndexMs, visuallyCompleteMs} = measureVisual(trace, eye.quality, eye.thresholds);
  // the Speed Index is known only when everything can be seen
  if ((visuallyCompleteMs[100] ?? Number.POSITIVE_INFINITY) * 1e6 > revealedNs(model)) return [words];
  const index = `Speed Index ${speedIndexMs === null ? '–' : timeText(speedIndexMs / 1000)}`;
  return [`${words} · ${index}`, index, words];
}
