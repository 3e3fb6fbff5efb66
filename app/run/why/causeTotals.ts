import {joined} from '../../base/text.ts';
import {durationText} from '../trace/traceTexts.ts';
import {CAUSE_KINDS, type CauseName, causeKind} from './causeKinds.ts';
import type {PathSpan} from './criticalPath.ts';

/** The part of a time that has one cause. */
export interface CauseTotal {
  readonly name: CauseName;
  /** Above 0 in the totals of a path. In a difference, below 0 if the second path has less time with this cause. */
  readonly ns: number;
}

/** Adds up a critical path by cause, in the order of {@link CAUSE_KINDS}. Causes without time are left out. */
export function causeTotals(spans: readonly PathSpan[]): readonly CauseTotal[] {
  const sums = new Map<CauseName, number>();
  for (const {cause, fromNs, untilNs} of spans) sums.set(cause, (sums.get(cause) ?? 0) + untilNs - fromNs);
  return inOrder(name => sums.get(name) ?? 0);
}

/** Returns how much more time each cause has in `others` than in `totals`. Causes with equal times are left out. */
export function causeDifference(totals: readonly CauseTotal[], others: readonly CauseTotal[]): readonly CauseTotal[] {
  return inOrder(name => nsOf(others, name) - nsOf(totals, name));
}

/** Returns the time of all causes together, in ns. */
export function sumNs(totals: readonly CauseTotal[]): number {
  return totals.reduce((sum, {ns}) => sum + ns, 0);
}

/** Returns the time of one cause, in ns. */
export function nsOf(totals: readonly CauseTotal[], cause: CauseName): number {
  return totals.find(({name}) => name === cause)?.ns ?? 0;
}

/** A side of a comparison: its name for people, and the totals of its critical path. */
export interface WhySide {
  readonly name: string;
  readonly totals: readonly CauseTotal[];
}

/**
 * Returns the sentence that explains the difference of two times: `HTTP/3 is 4.10 s ahead of HTTP/2: 5.20 s less behind
 * lost packets of other objects and 1.10 s more for the set-up of connections.` It names the largest differences, at
 * most three, and none that is smaller than a tenth of the largest one.
 */
export function whySentence(one: WhySide, other: WhySide): string {
  const [first, second] = sumNs(one.totals) <= sumNs(other.totals) ? [one, other] : [other, one];
  const aheadNs = sumNs(second.totals) - sumNs(first.totals);
  const differing = causeDifference(second.totals, first.totals).toSorted((a, b) => Math.abs(b.ns) - Math.abs(a.ns));
  const [largest] = differing;
  if (largest === undefined) return `${first.name} and ${second.name} are equally fast, for the same reasons.`;
  const shown = differing.filter(({ns}) => Math.abs(ns) >= Math.abs(largest.ns) / 10).slice(0, MOST_TERMS);
  const terms = shown.map(
    ({name, ns}) => `${durationText(Math.abs(ns))} ${ns < 0 ? 'less' : 'more'} ${causeKind(name).of}`,
  );
  const lead = aheadNs === 0 ? `${first.name} and ${second.name} are equally fast` : leadText(first, second, aheadNs);
  return `${lead}: ${aheadNs === 0 ? `${first.name} has ` : ''}${joined(terms)}.`;
}

function leadText(first: WhySide, second: WhySide, aheadNs: number): string {
  return `${first.name} is ${durationText(aheadNs)} ahead of ${second.name}`;
}

/** The most terms in a sentence. People would not read a longer sentence. */
const MOST_TERMS = 3;

function inOrder(nsOfCause: (name: CauseName) => number): readonly CauseTotal[] {
  return CAUSE_KINDS.map(({name}) => ({name, ns: nsOfCause(name)})).filter(({ns}) => ns !== 0);
}
