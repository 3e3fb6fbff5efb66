import type {Pane} from '../../../../app/pipelines/index.ts';
import {titleNames} from '../../../../app/pipelines/paneLabels.ts';
import type {PaneSummary} from '../../../../app/run/metrics/paneSummary.ts';
import type {CauseSummary} from '../../../../app/run/why/causeSummary.ts';
import {type WhySide, whySentence} from '../../../../app/run/why/causeTotals.ts';
import {type CauseColumn, causeRows} from '../causeRows.ts';
import {align, paneNames} from './result.ts';

/** The summary of a pane, with the causes of its time. */
type ExplainedSummary = Pick<PaneSummary, 'finishMs' | 'finishAgainstFirst'> & CauseSummary;

/**
 * Returns the tables of `run --causes`. The first table shows how the time until the page is complete divides into
 * causes in each pane. The second table shows how much more time each cause takes in a pane than in the first pane. A
 * sentence for each comparison follows. The text is empty if no pane has causes.
 */
export function causeTables(summary: readonly Partial<ExplainedSummary>[], panes: readonly Pane[]): string {
  const explained = summary.filter((pane): pane is ExplainedSummary => pane.causes !== undefined);
  if (explained.length === 0) return '';
  const names = paneNames(panes);
  const differences = explained.slice(1).map(differenceOf);
  return align([
    [''],
    ['where the time from navigation to finish went, by cause (docs/why.md)'],
    ['', ...names],
    ...causeRows(explained.map(columnOf)),
    ...(differences.length === 0 ? [] : differenceLines(differences, names)),
    ...sentences(explained, titleNames(panes)).map(line => [line]),
  ]);
}

function differenceLines(differences: readonly (CauseColumn | null)[], names: readonly string[]) {
  return [
    [''],
    [`how much more time each cause has than in ${names[0]}, over the runs that are complete in both`],
    ...causeRows([null, ...differences]).map(([label = '', _, ...cells]) => [label, '', ...cells]),
  ];
}

function columnOf({causes, finishMs: {mean, ci95}}: ExplainedSummary): CauseColumn | null {
  return causes.length === 0 ? null : {causes, total: {ms: mean ?? 0, ci95Ms: ci95}};
}

function differenceOf({causesAgainstFirst, finishAgainstFirst}: ExplainedSummary): CauseColumn | null {
  const {mean = null, ci95 = null} = finishAgainstFirst?.differenceMs ?? {};
  return mean === null ? null : {causes: causesAgainstFirst ?? [], total: {ms: mean, ci95Ms: ci95}};
}

/**
 * Returns a text for each pane after the first, which compares this pane with the first one. There is no text if one of
 * the two has no causes.
 */
function sentences(explained: readonly ExplainedSummary[], titles: readonly string[]): readonly string[] {
  const sides = explained.map(({causes}, i): WhySide => {
    return {name: titles[i] ?? '', totals: causes.map(({name, ms}) => ({name, ns: Math.round(ms * 1e6)}))};
  });
  const [first, ...others] = sides;
  return others.flatMap((other, i) => {
    if (first === undefined || first.totals.length === 0 || other.totals.length === 0) return [];
    const {mean, ci95} = explained[i + 1]?.finishAgainstFirst?.differenceMs ?? {};
    const mayBeChance = mean != null && ci95 != null && Math.abs(mean) <= ci95;
    return [`${whySentence(first, other)}${mayBeChance ? CHANCE : ''}`];
  });
}

const CHANCE = ' This may be chance: the 95 % interval of the difference contains 0.';
