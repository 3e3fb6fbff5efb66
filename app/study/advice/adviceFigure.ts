import type {Figure, LinePoint} from '../figures/figure.ts';
import type {Advice, AimAdvice} from './advice.ts';
import type {Candidate} from './candidates.ts';

/**
 * The figure of the advice for one aim, which is a time that should be short, such as the page time. It shows the mean
 * of this time against the number of streams, with a line for each scheduler. The field `cell` of a point is the index
 * of the point's number of streams among the compared numbers. Returns null if a candidate (a way to load the page) has
 * no number of streams.
 */
export function adviceFigure({aim, standings}: AimAdvice, {candidates, seeds}: Advice): Figure | null {
  const {counts, schedulers} = axesOf(candidates);
  const places = counts.filter(count => count !== null);
  if (places.length < counts.length) return null;
  const points = candidates.map(({streams, scheduler}, i): LinePoint => {
    const {meanMs = 0, ci95Ms = null, never = 0} = standings[i] ?? {};
    const y = meanMs / 1000;
    return {
      panel: 0,
      series: schedulers.indexOf(scheduler ?? ''),
      n: seeds - never,
      runs: seeds,
      cell: counts.indexOf(streams),
      x: streams ?? 0,
      y,
      interval: ci95Ms === null ? null : [y - ci95Ms / 1000, y + ci95Ms / 1000],
    };
  });
  return {
    name: 'advice',
    title: aim.label,
    series: schedulers.map((name, colour) => ({name, colour, isPaper: false})),
    x: {label: 'streams', unit: null, places, isLogarithmic: true},
    y: {label: aim.label, unit: 's'},
    panels: [''],
    marks: {kind: 'lines', points},
    caption: [],
  };
}

/** The index of the candidate that a figure's point shows; −1 if no candidate matches. */
export function candidateAt(
  {candidates}: Pick<Advice, 'candidates'>,
  {cell, series}: Pick<LinePoint, 'cell' | 'series'>,
): number {
  const {counts, schedulers} = axesOf(candidates);
  return candidates.findIndex(
    ({streams, scheduler}) => streams === counts[cell ?? -1] && scheduler === schedulers[series],
  );
}

function axesOf(candidates: readonly Candidate[]) {
  return {
    counts: [...new Set(candidates.map(({streams}) => streams))],
    schedulers: [...new Set(candidates.map(({scheduler}) => scheduler ?? ''))],
  };
}
