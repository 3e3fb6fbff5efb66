import {PERCENTS} from '../../app/metrics/metrics.ts';
import {textWidth} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';
import {paneNames} from './names.ts';

/** When all objects of a pane had so much (N07 §5). */
interface Milestone {
  readonly percent: number;
  readonly seconds: number;
  /** Of its line, CSS px. */
  readonly x: number;
}

/** What is told of milestones that stand together, beside the first or the last of their lines. */
interface MilestoneLabel {
  readonly text: string;
  /** Of the milestones, in order of time. */
  readonly percents: readonly number[];
  /** Where the text begins and ends, CSS px; it touches its lines with the end that is next to them. */
  readonly from: number;
  readonly to: number;
  readonly isBefore: boolean;
}

/** 25, 50, 75 and 100 %Page of one of a graph's panes that are in sight; of many panes the page's time alone. */
export function milestones({box, panes, x}: Plot, pane: number): readonly Milestone[] {
  const {trace, metrics} = panes[pane] ?? {};
  if (trace === undefined || metrics === undefined) return [];
  const fromNs = trace.objects[0]?.requestNs ?? 0;
  return PERCENTS.filter(percent => panes.length < 3 || percent === 100).flatMap(percent => {
    const ms = metrics.pPageMs[percent];
    const atNs = fromNs + (ms ?? 0) * 1e6;
    const isInSight = ms !== null && x(atNs) >= box.x && x(atNs) <= box.x + box.width;
    return isInSight ? [{percent, seconds: atNs / 1e9, x: x(atNs)}] : [];
  });
}

/**
 * Labels in the line of the pane's name: in order, none over another, each touching its own lines and above no
 * other. Milestones that stand too close for that share one; where there is no room for all, the first go
 * without. The page's time is told in any case where its line is: then it may stand above others.
 */
export function milestoneLabels(model: TimelineModel, plot: Plot, pane: number): readonly MilestoneLabel[] {
  const lines = milestones(plot, pane);
  const name = paneNames(model, plot.panes)[pane];
  const from = (name?.right ?? plot.box.x) + model.fontPx;
  for (let without = 0; without < lines.length; without++) {
    for (const write of [inWords, inNumbers]) {
      for (const groups of partitions(lines.slice(without))) {
        const labels = place(model, groups, lines, write, from);
        if (labels !== undefined) return labels;
      }
    }
  }
  const page = lines.filter(isPageLine);
  return page.length === 0 ? [] : (place(model, [page], page, inNumbers, from) ?? []);
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
  const widest = group.some(isPageLine) ? WIDEST_WITH_PAGE_EM : WIDEST_GROUP_EM;
  if (last - first > widest * fontPx) return undefined;
  const [text, gap] = [write(group), fontPx * 0.3];
  const long = textWidth(text, fontPx);
  const [before, after] = [first - gap - long, last + gap];
  // what ends a load stands behind it
  for (const left of group.some(isPageLine) ? [after, before] : [before, after]) {
    const right = left + long;
    const isOver = lines.some(line => !group.includes(line) && line.x > left - gap && line.x < right + gap);
    if (left < from || right > width || isOver) continue;
    const rest = place(model, others, lines, write, right + fontPx * 0.6);
    if (rest === undefined) continue;
    const percents = group.map(({percent}) => percent);
    return [{text, percents, from: left, to: right, isBefore: left === before}, ...rest];
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

function inWords(group: Group): string {
  return `${group.every(isPageLine) ? '' : 'all '}${inNumbers(group)}`;
}

/** `25, 50 %`, `75 %, page 20.2 s`. */
function inNumbers(group: Group): string {
  const numbers = group.flatMap(({percent}) => (percent === 100 ? [] : percent)).join(', ');
  const page = group.find(isPageLine);
  return [
    ...(numbers === '' ? [] : [`${numbers} %`]),
    ...(page === undefined ? [] : [`page ${page.seconds.toFixed(1)} s`]),
  ].join(', ');
}

function isPageLine({percent}: Milestone): boolean {
  return percent === 100;
}

/** One text for lines further apart would not be taken for all of theirs. */
const WIDEST_GROUP_EM = 10;
/** The same, where one of them is the page's, which is the one that is looked for. */
const WIDEST_WITH_PAGE_EM = 4;
