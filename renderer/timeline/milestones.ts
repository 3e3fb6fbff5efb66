import {PERCENTS} from '../../app/metrics/metrics.ts';
import {textWidth} from './measures.ts';
import {nameOf, type Plot, type TimelineModel} from './plots.ts';

/** When all objects of a pane had so much (N07 §5), and where that is told. */
export interface Milestone {
  /** In the graph's panes. */
  readonly pane: number;
  readonly percent: number;
  /** Of its line, CSS px. */
  readonly x: number;
  /** Where its text begins, CSS px; undefined where there is no room for any. */
  readonly label: {readonly text: string; readonly left: number} | undefined;
}

/**
 * 25, 50, 75 and 100 %Page of a graph's panes, which share the room above it. The page's times come first; the
 * others are bare numbers where words would reach over another line.
 */
export function milestones(model: TimelineModel, plot: Plot): readonly Milestone[] {
  const {fontPx, width} = model;
  const gap = fontPx * 0.3;
  const lines = linesOf(plot).sort(
    (a, b) => Number(b.percent === 100) - Number(a.percent === 100) || b.x - a.x,
  );
  const taken: Span[] = plot.hasNameApart
    ? []
    : [{from: 0, to: plot.box.x + textWidth(nameOf(plot), fontPx)}];
  const isFree = (span: Span): boolean =>
    span.from >= 0 &&
    span.to <= width &&
    taken.every(({from, to}) => span.to + gap <= from || span.from >= to + gap);
  const crosses = ({from, to}: Span): boolean => lines.some(({x}) => x > from && x < to);
  return lines.map(line => {
    const {percent, x, seconds} = line;
    const words = percent === 100 ? `page ${seconds.toFixed(1)} s` : `all ${percent} %`;
    const bare = percent === 100 ? words : String(percent);
    const after = spanAfter(x + gap, words, fontPx);
    const before = spanBefore(x, words, fontPx);
    const sides = percent === 100 ? [after, before] : [before];
    const inWords = sides.find(span => isFree(span) && !crosses(span));
    const span = inWords ?? nearestBefore(x, bare);
    if (span === undefined) return {...line, label: undefined};
    taken.push(span);
    return {...line, label: {text: inWords === undefined ? bare : words, left: span.from}};
  });

  function nearestBefore(x: number, text: string): Span | undefined {
    const ends = [
      x,
      ...taken.map(({from}) => from - gap).filter(end => end < x && end > x - FARTHEST_EM * fontPx),
    ];
    return ends
      .sort((a, b) => b - a)
      .map(end => spanBefore(end, text, fontPx))
      .find(isFree);
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function linesOf({box, panes, x}: Plot) {
  return panes.flatMap(({trace, metrics}, pane) => {
    const fromNs = trace.objects[0]?.requestNs ?? 0;
    return PERCENTS.flatMap(percent => {
      const ms = metrics.pPageMs[percent];
      const atNs = fromNs + (ms ?? 0) * 1e6;
      const isInSight = ms !== null && x(atNs) >= box.x && x(atNs) <= box.x + box.width;
      return isInSight ? [{pane, percent, x: x(atNs), seconds: atNs / 1e9}] : [];
    });
  });
}

function spanAfter(from: number, text: string, fontPx: number): Span {
  return {from, to: from + textWidth(text, fontPx)};
}

function spanBefore(to: number, text: string, fontPx: number): Span {
  return {from: to - textWidth(text, fontPx), to};
}

/** A text further from its line would not be taken for its. */
const FARTHEST_EM = 8;
