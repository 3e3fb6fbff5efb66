import type {Eye} from '../../../app/run/quality/states.ts';
import {CAUSE_KINDS, type CauseName} from '../../../app/run/why/causeKinds.ts';
import {type CauseTotal, causeTotals, nsOf, sumNs} from '../../../app/run/why/causeTotals.ts';
import {criticalPath} from '../../../app/run/why/criticalPath.ts';
import {objectsOnPath, type Path, pagePath} from '../../../app/run/why/loadPaths.ts';
import {targetOf, type WhyMetric} from '../../../app/run/why/whyTarget.ts';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf, whyOf} from '../../session/sources.ts';

/** The moments of a load that the panel `why` can explain. */
export const MOMENTS = ['finish', 'recognisable', 'lcp', 'object'] as const;

export type Moment = (typeof MOMENTS)[number];

/** One of the two panes that are compared, with the causes of its time, or the reason why it has none. */
export interface Side {
  readonly pane: number;
  readonly name: string;
  readonly path: Path;
  readonly totals: readonly CauseTotal[];
  readonly totalNs: number;
  /** The moment that is explained; null if there are no causes. */
  readonly metric: WhyMetric | null;
  /** Why there are no causes. Empty if there are causes. */
  readonly absence: string;
}

export interface WhyRow {
  readonly name: CauseName;
  readonly label: string;
  readonly ns: readonly [number, number];
  /** Second side minus first side, ns. */
  readonly moreNs: number;
}

/** Explains a moment of a pane. `object` is the selected object, which is used only if the moment is `object`. */
export function sideOf(run: ShownRun, pane: number, moment: Moment, eye: Eye | null, object: number | null): Side {
  const name = namesOf(run)[pane] ?? '';
  const none = (absence: string): Side => ({pane, name, path: [], totals: [], totalNs: 0, metric: null, absence});
  const [trace, options] = [run.traces[pane], whyOf(run, pane)];
  if (trace === undefined) return none('it is not loaded');
  const metric = metricOf(moment, eye, urlOf(run, object));
  if (typeof metric === 'string') return none(metric);
  const found = targetOf(trace, metric, options);
  if (!found.ok) return none(found.why);
  // `pagePath` remembers its result, and the sentences about the run need the same path
  const own = metric.kind === 'finish' ? pagePath(trace, options) : null;
  const path = own ?? criticalPath(trace, found.target, options);
  const totals = causeTotals(path);
  return {pane, name, path, totals, totalNs: sumNs(totals), metric, absence: ''};
}

/**
 * The address of an object. If the panes loaded different pages, `object` is an index in the first pane that has an
 * object with this index, and the address finds the same object in the other panes.
 */
function urlOf({traces}: ShownRun, object: number | null): string | undefined {
  return traces.map(({objects}) => objects[object ?? -1]?.url).find(url => url !== undefined);
}

/** The metric of a moment, or the reason why there is none. */
function metricOf(moment: Moment, eye: Eye | null, url: string | undefined): WhyMetric | string {
  if (moment === 'recognisable') return eye === null ? 'the pictures are not measured yet' : {kind: moment, eye};
  if (moment === 'object') return url === undefined ? 'no object is chosen' : {kind: moment, url};
  return {kind: moment};
}

/** The causes that at least one of two sides has, in the order of {@link CAUSE_KINDS}. */
export function rowsOf([first, second]: readonly [Side, Side]): readonly WhyRow[] {
  return CAUSE_KINDS.flatMap(({name, label}) => {
    const ns = [nsOf(first.totals, name), nsOf(second.totals, name)] as const;
    return ns.some(each => each > 0) ? [{name, label, ns, moreNs: ns[1] - ns[0]}] : [];
  });
}

/** The indices of the objects that the paths of the sides go through, in rising order. */
export function objectsOf(sides: readonly Side[]): readonly number[] {
  const all = new Set(sides.flatMap(({path}) => [...objectsOnPath(path)]));
  return [...all].sort((a, b) => a - b);
}
