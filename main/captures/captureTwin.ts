import {showName} from '../../app/base/text.ts';
import {exchangesOfObjects} from '../../app/captures/placeOnPage.ts';
import {firstPacketNs} from '../../app/captures/twin/placedTwin.ts';
import {fitTwin, type Twin} from '../../app/captures/twin/twin.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {pageDocument} from '../../app/run/scenario/document.ts';
import {type CauseTotal, causeTotals} from '../../app/run/why/causeTotals.ts';
import {criticalPath} from '../../app/run/why/criticalPath.ts';
import type {Intervened, InterventionName} from '../../app/run/why/interventions.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {targetOf} from '../../app/run/why/whyTarget.ts';
import {intervened} from '../engine/interventions.ts';
import {loadToExplain} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';
import {CaptureError, type OpenedCapture} from './openCaptures.ts';

/** The twin of a captured load, and what explains its time. */
export interface ExplainedTwin {
  readonly twin: Twin;
  readonly page: PageSnapshot;
  /** When the last object was complete, since the first packet, ns. Null if none was. */
  readonly captureNs: number | null;
  readonly twinNs: number | null;
  /** The causes of the twin's time, from navigation. */
  readonly causes: readonly CauseTotal[];
  /** What the twin would save without each fault of the path or the server. The largest saving comes first. */
  readonly savings: readonly Intervened[];
  /** The first of {@link ExplainedTwin.savings}, if it is a clear part of the time. */
  readonly named: Intervened | null;
}

/** Opens the page that a twin loads. `fixtures` is the folder of the pages that come with the program. */
export function pageOfTwin({scenario}: OpenedCapture, fixtures: string): Promise<PageSnapshot> {
  return openPage(scenario.page, fixtures);
}

/**
 * Fits a twin to a captured load, and explains its time. `page` is that of {@link pageOfTwin}.
 * @throws CaptureError if the capture is not enough for a twin
 */
export function captureTwin({file, load, scenario}: OpenedCapture, page: PageSnapshot): ExplainedTwin {
  const {page: source} = scenario;
  const name = showName(file, LONGEST_NAME);
  if (source.kind !== 'bundle') throw new CaptureError(`${name}: a twin needs a page, and no response is complete`);
  const exchanges = exchangesOfObjects(load.exchanges, page.objects);
  const fitted = fitTwin(load, {source: pageDocument(source), exchanges}, fitted =>
    loadToExplain(page, fitted, fitted.seed, 0),
  );
  if (!fitted.ok) throw new CaptureError(`${name}: ${fitted.message}`);
  return explained(fitted.twin, page, lastOf(exchanges.map(i => load.exchanges[i ?? -1]?.completeNs ?? null)));
}

function explained(twin: Twin, page: PageSnapshot, captureNs: number | null): ExplainedTwin {
  const {scenario, trace} = twin;
  const lastNs = lastOf(trace.objects.map(({completeNs}) => completeNs));
  const found = targetOf(trace, {kind: 'finish'});
  const path = found.ok ? criticalPath(trace, found.target, whyOptionsOf(scenario, 0)) : [];
  const tried = found.ok ? intervened(page, {scenario, pane: 0, trace, path, metric: {kind: 'finish'}}, FAULTS) : [];
  const savings = tried.toSorted((a, b) => (b.savedNs ?? 0) - (a.savedNs ?? 0));
  const [most] = savings;
  const twinNs = lastNs === null ? null : lastNs - firstPacketNs(trace);
  return {
    twin,
    page,
    captureNs,
    twinNs,
    causes: causeTotals(path),
    savings,
    named: most?.savedNs != null && twinNs !== null && most.savedNs >= twinNs * CLEAR_SHARE ? most : null,
  };
}

function lastOf(times: readonly (number | null)[]): number | null {
  const known = times.filter(time => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The interventions against faults of a path or a server. The others are against what every load has. */
const FAULTS: ReadonlySet<InterventionName> = new Set(['server', 'window', 'no-loss', 'policer']);

/** The smallest share of the page time for which a saving is named. */
const CLEAR_SHARE = 0.1;

const LONGEST_NAME = 80;
