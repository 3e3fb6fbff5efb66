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

/**
 * A twin, and where the time of the captured load went. A twin is a computed load that is fitted to a captured load.
 */
export interface ExplainedTwin {
  readonly twin: Twin;
  readonly page: PageSnapshot;
  /** The time from the first packet until the captured load was complete, ns. Null if the load is incomplete. */
  readonly captureNs: number | null;
  /** The same time in the twin. Null if no object of the twin was completed. */
  readonly twinNs: number | null;
  /** Whether both times are so close that the twin can stand for the load. Null if the load is incomplete. */
  readonly isClose: boolean | null;
  /** Why the captured load is incomplete. Null if it is complete. */
  readonly incomplete: string | null;
  /** The causes of the twin's time, from navigation. */
  readonly causes: readonly CauseTotal[];
  /**
   * For each of {@link FAULTS} that the twin has: how much earlier the twin is complete without it. The largest saving
   * comes first.
   */
  readonly savings: readonly Intervened[];
  /** The first of {@link ExplainedTwin.savings}. Null if it is too small a part of the page time to be named. */
  readonly named: Intervened | null;
}

type Captured = Pick<ExplainedTwin, 'captureNs' | 'incomplete'>;

/** Opens the page that a twin loads. `fixtures` is the folder of the pages that come with the program. */
export function pageOfTwin({scenario}: OpenedCapture, fixtures: string): Promise<PageSnapshot> {
  return openPage(scenario.page, fixtures);
}

/**
 * Fits a twin to a captured load, and explains the time of the load. `page` is the result of {@link pageOfTwin}.
 * @throws CaptureError if the capture is not enough for a twin
 */
export function captureTwin({file, load, run, scenario}: OpenedCapture, page: PageSnapshot): ExplainedTwin {
  const {page: source} = scenario;
  const name = showName(file, LONGEST_NAME);
  if (source.kind !== 'bundle') throw new CaptureError(`${name}: a twin needs a page, and no response is complete`);
  const exchanges = exchangesOfObjects(load.exchanges, page.objects);
  const fitted = fitTwin(load, {source: pageDocument(source), exchanges}, fitted =>
    loadToExplain(page, fitted, fitted.seed, 0),
  );
  if (!fitted.ok) throw new CaptureError(`${name}: ${fitted.message}`);
  const lastNs = lastOf(exchanges.map(i => load.exchanges[i ?? -1]?.completeNs ?? null));
  const incomplete = run.panes[0]?.reason ?? null;
  return explained(fitted.twin, page, {captureNs: incomplete === null ? lastNs : null, incomplete});
}

function explained(twin: Twin, page: PageSnapshot, captured: Captured): ExplainedTwin {
  const {scenario, trace} = twin;
  const {captureNs} = captured;
  const lastNs = lastOf(trace.objects.map(({completeNs}) => completeNs));
  const options = whyOptionsOf(scenario, 0);
  const found = targetOf(trace, {kind: 'finish'}, options);
  const path = found.ok ? criticalPath(trace, found.target, options) : [];
  const tried = found.ok ? intervened(page, {scenario, pane: 0, trace, path, metric: {kind: 'finish'}}, FAULTS) : [];
  const savings = tried.toSorted((a, b) => (b.savedNs ?? 0) - (a.savedNs ?? 0));
  const [most] = savings;
  const twinNs = lastNs === null ? null : lastNs - firstPacketNs(trace);
  const isClose =
    captureNs === null ? null : twinNs !== null && Math.abs(Math.log(twinNs / captureNs)) <= Math.log(1 + CLOSE);
  const longestNs = Math.max(captureNs ?? 0, twinNs ?? 0);
  return {
    twin,
    page,
    ...captured,
    twinNs,
    isClose,
    causes: causeTotals(path),
    savings,
    named: most?.savedNs != null && most.savedNs >= longestNs * CLEAR_SHARE ? most : null,
  };
}

function lastOf(times: readonly (number | null)[]): number | null {
  const known = times.filter(time => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The interventions that take away a fault: a slow server, a small window, losses, or a policer. */
const FAULTS: ReadonlySet<InterventionName> = new Set(['server', 'window', 'no-loss', 'policer']);

/** A saving is named if it is at least this share of the page time: the longer one of the capture and of the twin. */
const CLEAR_SHARE = 0.1;

/**
 * The page times of the twin and of the load may differ by at most this share of the shorter one. Otherwise the twin
 * does not stand for the load.
 */
export const CLOSE = 0.15;

const LONGEST_NAME = 80;
