import type {Host} from '../../../app/host/contract.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {decodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {type Intervened, type Intervention, interventionsOf} from '../../../app/run/why/interventions.ts';
import {whyOptionsOf} from '../../../app/run/why/whyOptions.ts';
import {momentNs, type WhyMetric} from '../../../app/run/why/whyTarget.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {Side} from './whyTable.ts';

/**
 * Loads that show how much time the causes of a run cost: each load is without some of the causes. The loads can be
 * cancelled when the result is no longer needed.
 */
export interface SavedCauses {
  /**
   * The time that each intervention saves, and the index of the pane that is explained. Rejects if a load fails. After
   * {@link cancel} it is empty, or it rejects because of the load that was cancelled.
   */
  readonly saved: Promise<readonly SavedCause[]>;
  cancel(): void;
}

export interface SavedCause extends Intervened {
  readonly pane: number;
}

/**
 * For each intervention on these panes, loads the page again without the causes that the intervention takes away. The
 * loads run one after another. Interventions that need another page are left out. Trace files, live loads and panes
 * that share one path have no interventions.
 */
export function savedCauses(
  host: Pick<Host, 'load' | 'cancelLoad'>,
  run: ShownRun,
  sides: readonly Side[],
): SavedCauses {
  const name = crypto.randomUUID();
  let isOver = false;
  const all = async (): Promise<readonly SavedCause[]> => {
    const found: SavedCause[] = [];
    for (const side of sides) {
      for (const each of interventionsIn(run, side)) {
        if (isOver) return [];
        const atNs = side.metric === null ? null : await momentWithout(host, run, each, side.metric, name);
        found.push({...each, pane: side.pane, savedNs: atNs === null ? null : side.totalNs - atNs});
      }
    }
    return isOver ? [] : found;
  };
  return {
    saved: all(),
    cancel: () => {
      isOver = true;
      void host.cancelLoad(name).catch(() => undefined);
    },
  };
}

/** The interventions that the window can compute for a side. */
export function interventionsIn(run: ShownRun, {pane, path, metric}: Side): readonly Intervention[] {
  const trace = run.traces[pane];
  if (run.sources !== undefined || trace === undefined || metric === null) return [];
  return interventionsOf(run.scenario, pane, trace, path).filter(({onlyObjects}) => onlyObjects === undefined);
}

/** The time at which a load with the intervention reaches the explained moment; null if it never does. */
async function momentWithout(
  host: Pick<Host, 'load'>,
  {page}: ShownRun,
  {scenario, assumption}: Intervention,
  metric: WhyMetric,
  name: string,
): Promise<number | null> {
  const answer = await host.load(scenarioDocument(scenario), page.hash, name, assumption);
  if (!answer.ok) throw new Error(answer.message);
  const decoded = decodeRun(answer.run);
  const data = decoded.ok ? decoded.run.panes[0] : undefined;
  return data === undefined ? null : momentNs(new Trace(data), metric, whyOptionsOf(scenario, 0));
}
