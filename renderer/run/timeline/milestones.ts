import {PERCENTS} from '../../../app/run/metrics/metrics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {measureVisual} from '../../../app/run/quality/visual.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {textWidth} from './measures.ts';
import {type MilestoneKey, timeText, wordsOf} from './milestoneText.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {paneNames} from './names.ts';
import {revealedNs} from './reveal.ts';
import {yAxisOf} from './yAxes.ts';

/** When all of a pane had come so far. */
export interface Milestone {
  readonly key: MilestoneKey;
  readonly seconds: number;
  /** Of its line, CSS px. */
  readonly x: number;
}

/** What is told of milestones that stand together, beside the first or the last of their lines. */
interface MilestoneLabel {
  readonly text: string;
  /** Of the milestones, in order of time. */
  readonly keys: readonly MilestoneKey[];
  /** Where the text begins and ends, CSS px; it touches its lines with the end that is next to them. */
  readonly from: number;
  readonly to: number;
  readonly isBefore: boolean;
}

/** Those of one of a graph's panes that are in sight, in order of time; of many panes the last one alone. */
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

/** 25, 50, 75 and 100 %Page (N07 §5). */
function pageTimes({trace, metrics}: TimelinePane): readonly MilestoneTime[] {
  const fromNs = trace.objects[0]?.requestNs ?? 0;
  return PERCENTS.flatMap((percent): MilestoneTime[] => {
    const ms = metrics.pPageMs[percent];
    return ms === null ? [] : [[percent, fromNs + ms * 1e6]];
  });
}

/** All pictures recognisable, and good; visually complete, and nearly. */
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

/** What stands behind a pane's name. */
interface Heading {
  readonly note: {readonly text: string; readonly left: number} | undefined;
  readonly labels: readonly MilestoneLabel[];
}

/** As much of a note as leaves room for what ends the load, and then the labels of milestones. */
export function heading(model: TimelineModel, plot: Plot, pane: number): Heading {
  const {fontPx} = model;
  const left = (paneNames(model, plot.panes)[pane]?.right ?? plot.box.x) + fontPx;
  const hasEnd = milestones(model, plot, pane).some(isEnd);
  for (const text of axisNotes(model, plot, pane)) {
    const right = left + textWidth(text, fontPx);
    const labels = labelsFrom(model, plot, pane, right + fontPx);
    const isEndTold = labels.some(({keys}) => keys.some(key => isEnd({key})));
    if (right <= model.width && (isEndTold || !hasEnd)) return {note: {text, left}, labels};
  }
  return {note: undefined, labels: labelsFrom(model, plot, pane, left)};
}

/**
 * Labels in the line of the pane's name, from a place on (CSS px): in order, none over another, each touching its own
 * lines and above no other. Milestones that stand too close for that share one; where there is no room for all, the
 * first go without, or of what the eye makes of a page what matters least. The last one is told in any case where its line is: then it may stand above others.
 */
function labelsFrom(model: TimelineModel, plot: Plot, pane: number, from: number): readonly MilestoneLabel[] {
  const lines = milestones(model, plot, pane);
  const {inFull, inShort} = wordsOf(lines);
  for (const told of fewerAndFewer(lines)) {
    for (const write of [inFull, inShort]) {
      for (const groups of partitions(told)) {
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

/** The groups from left to right, each before or after its lines; undefined if one has no place. */
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
  // what ends a load stands behind it
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

/** Every way to part the lines into neighbours, those with the most groups first. */
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

/** The page's own. */
export function isEnd({key}: {readonly key: MilestoneKey}): boolean {
  return key === 100 || key === '100 % visual';
}

/** What of the eye's goes first where there is no room. */
const LEAST_FIRST: readonly MilestoneKey[] = ['85 % visual', 'good', 'recognisable', '100 % visual'];

/** One text for lines further apart would not be taken for all of theirs. */
const WIDEST_GROUP_EM = 10;
/** The same, where one of them is the page's own, which is the one that is looked for. */
const WIDEST_WITH_END_EM = 4;

/**
 * What can be told behind a pane's name, from the longest on: what the y axis counts, if it is not bytes as ever, and
 * the Speed Index of what is to be seen.
 */
function axisNotes(model: TimelineModel, {panes}: Plot, pane: number): readonly string[] {
  const {words, name} = yAxisOf(model);
  if (words === '') return [];
  const [{trace} = {}, {eye}] = [panes[pane], model];
  if (name !== 'visual' || trace === undefined || eye === null) return [words];
  const {speedIndexMs, visuallyCompleteMs} = measureVisual(trace, eye.quality, eye.thresholds);
  // it is known when all is to be seen
  if ((visuallyCompleteMs[100] ?? Number.POSITIVE_INFINITY) * 1e6 > revealedNs(model)) return [words];
  const index = `Speed Index ${speedIndexMs === null ? '–' : timeText(speedIndexMs / 1000)}`;
  return [`${words} · ${index}`, index, words];
}
