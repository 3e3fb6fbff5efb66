import type {PageSnapshot} from '../../app/page/page.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {
  type Intervened,
  type Intervention,
  type InterventionName,
  interventionsOf,
} from '../../app/run/why/interventions.ts';
import type {Path} from '../../app/run/why/loadPaths.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {momentNs, type WhyMetric} from '../../app/run/why/whyTarget.ts';
import {loadToMeasure} from './load.ts';

/** A moment of a pane's load, and the critical path that leads to it. */
export interface ExplainedLoad {
  readonly scenario: Scenario;
  /** The index of the pane. */
  readonly pane: number;
  readonly trace: Trace;
  readonly path: Path;
  readonly metric: WhyMetric;
}

/**
 * Loads the page again with each possible intervention, and returns how much time each of them saves. An intervention
 * takes some causes of the pane's time away. If `names` is given, only these interventions are tried.
 */
export function intervened(
  page: PageSnapshot,
  {scenario, pane, trace, path, metric}: ExplainedLoad,
  names?: ReadonlySet<InterventionName>,
): readonly Intervened[] {
  const beforeNs = path.at(-1)?.untilNs ?? 0;
  const chosen = interventionsOf(scenario, pane, trace, path).filter(({name}) => names?.has(name) ?? true);
  return chosen.map(each => {
    const atNs = momentWithout(page, each, metric);
    return {...each, savedNs: atNs === null ? null : beforeNs - atNs};
  });
}

/**
 * Loads the page without the causes that the intervention takes away, and returns the time in ns at which the load
 * reaches the moment of `metric`. Null if it never does.
 */
function momentWithout(
  page: PageSnapshot,
  {scenario, onlyObjects, assumption}: Intervention,
  metric: WhyMetric,
): number | null {
  const own = onlyObjects === undefined ? page : pageWith(page, onlyObjects);
  const trace = new Trace(loadToMeasure(own, scenario, scenario.seed, 0, assumption));
  return momentNs(trace, metric, whyOptionsOf(scenario, 0));
}

/** Returns the page with empty bodies. Only the HTML and the objects in `kept` keep their bodies. */
function pageWith(page: PageSnapshot, kept: ReadonlySet<number>): PageSnapshot {
  const objects = page.objects.map((object, i) =>
    i === 0 || kept.has(i) || object.body === null ? object : {...object, body: new Uint8Array()},
  );
  return {...page, objects};
}
