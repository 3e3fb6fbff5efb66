import {causeTotals, sumNs, type WhySide, whySentence} from '../../run/why/causeTotals.ts';
import type {WhyOptions} from '../../run/why/criticalPath.ts';
import {pagePath} from '../../run/why/loadPaths.ts';
import type {ComparedRun} from './runSentences.ts';

/** A run whose critical paths can be compared. */
export interface ExplainedRun extends ComparedRun {
  /** What the critical paths of each pane depend on besides its trace. */
  readonly why: readonly WhyOptions[];
}

/**
 * Returns the sentence that explains by causes why one pane had the whole page earlier than another one. If there are
 * more than two panes, it compares the first pane to complete the page with the last one. Panes that load live or are
 * captured do not count. It is empty if fewer than two panes have the whole page, or if no difference can be seen.
 */
export function whyLine({traces, names, why}: ExplainedRun): string {
  const sides = traces.flatMap((trace, pane): readonly WhySide[] => {
    const options = why[pane];
    // `seenAt` is null for computed loads only; live and captured loads are left out, because most of their causes are
    // not known
    const path = options?.seenAt === null ? pagePath(trace, options) : null;
    return path === null ? [] : [{name: names[pane] ?? '', totals: causeTotals(path)}];
  });
  const order = sides.toSorted((a, b) => sumNs(a.totals) - sumNs(b.totals));
  const [first, last] = [order[0], order.at(-1)];
  if (first === undefined || last === undefined) return '';
  return sumNs(last.totals) - sumNs(first.totals) < LEAST_NS ? '' : whySentence(first, last);
}

/** Shorter differences are not explained, because nobody sees them. */
const LEAST_NS = 1e6;
