import {type Cell, cellName} from './cells.ts';
import type {Comparison, Ratio} from './comparison.ts';

/**
 * The goals. `share` is the share of the cells that should reach a goal. `within` is the largest distance between a
 * computed median and the real one, as a share of the real one. `order` is the smallest rank correlation.
 */
export const GOALS = {
  withoutLoss: {within: 0.05, share: 0.9},
  withLoss: {within: 0.1, share: 0.9},
  paint: {within: 0.15, share: 0.8},
  order: 0.9,
} as const;

/** The table of all compared cells, in Markdown. */
export function tableOf(rows: readonly (readonly [Cell, Comparison])[]): string {
  const head =
    '| page | browser | server | HTTP | path | loss | real, ms | median | mean | FCP | LCP | order | real order | objects |\n' +
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|';
  const lines = rows.map(([{page, browser, server, protocol, path}, comparison]) => {
    const {realMs, median, mean, fcp, lcp, order, realOrder, objects} = comparison;
    const cells = [
      page,
      browser,
      server,
      protocol,
      `${path.rateBps / 1e6} Mbit/s, ${path.rttMs} ms`,
      `${100 * path.loss} %`,
      realMs?.toFixed(0) ?? '–',
      ...[median, mean, fcp, lcp].map(text),
      order?.toFixed(2) ?? '–',
      realOrder?.toFixed(2) ?? '–',
      `${objects.common}/${objects.all}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [head, ...lines].join('\n');
}

/** How many cells reach each goal, in Markdown. */
export function goalsOf(rows: readonly (readonly [Cell, Comparison])[]): string {
  const clean = rows.filter(([{path}]) => path.loss === 0);
  const lossy = rows.filter(([{path}]) => path.loss > 0);
  const {withoutLoss, withLoss, paint, order} = GOALS;
  const steady = rows.filter(([, {realOrder}]) => atLeast(realOrder, order) === true);
  const lines = [
    goal('median page time, without loss', clean, ({median}) => isWithin(median, withoutLoss.within), withoutLoss),
    goal('median page time, with loss', lossy, ({median}) => isWithin(median, withLoss.within), withLoss),
    goal('FCP', rows, ({fcp}) => isWithin(fcp, paint.within), paint),
    goal('LCP', rows, ({lcp}) => isWithin(lcp, paint.within), paint),
    goal(`order of completion, ρ ≥ ${order}`, rows, comparison => atLeast(comparison.order, order), {share: 1}),
    goal('the same, if real loads agree so well', steady, comparison => atLeast(comparison.order, order), {share: 1}),
  ];
  return `| goal | cells that reach it | wanted |\n|---|---|---|\n${lines.join('\n')}`;
}

/** The names of the cells that miss a goal, with the goals that they miss. */
export function missesOf(rows: readonly (readonly [Cell, Comparison])[]): readonly string[] {
  return rows.flatMap(([cell, {median, fcp, lcp, order}]) => {
    const within = cell.path.loss === 0 ? GOALS.withoutLoss.within : GOALS.withLoss.within;
    const missed = [
      isWithin(median, within) === false && `median ${median?.ratio.toFixed(2)}`,
      isWithin(fcp, GOALS.paint.within) === false && `FCP ${fcp?.ratio.toFixed(2)}`,
      isWithin(lcp, GOALS.paint.within) === false && `LCP ${lcp?.ratio.toFixed(2)}`,
      atLeast(order, GOALS.order) === false && `order ${order?.toFixed(2)}`,
    ].filter(text => text !== false);
    return missed.length === 0 ? [] : [`${cellName(cell)}: ${missed.join(', ')}`];
  });
}

type Rows = readonly (readonly [Cell, Comparison])[];

function goal(
  name: string,
  rows: Rows,
  reaches: (comparison: Comparison) => boolean | null,
  {within, share}: {readonly within?: number; readonly share: number},
): string {
  const known = rows.map(([, comparison]) => reaches(comparison)).filter(reached => reached !== null);
  const count = known.filter(Boolean).length;
  const part =
    known.length === 0 ? '–' : `${count} of ${known.length} (${((100 * count) / known.length).toFixed(0)} %)`;
  const limit = within === undefined ? '' : ` within ${100 * within} %`;
  return `| ${name}${limit} | ${part} | ${100 * share} % |`;
}

/** Whether the ratio is this close to 1. Null if it is not known. */
export function isWithin(ratio: Ratio | null, limit: number): boolean | null {
  return ratio === null ? null : Math.abs(ratio.ratio - 1) <= limit;
}

function atLeast(value: number | null, limit: number): boolean | null {
  return value === null ? null : value >= limit;
}

function text(ratio: Ratio | null): string {
  return ratio === null ? '–' : `${ratio.ratio.toFixed(2)} (${ratio.from.toFixed(2)}–${ratio.to.toFixed(2)})`;
}
