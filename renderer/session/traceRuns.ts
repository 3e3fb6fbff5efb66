import {showName} from '../../app/base/text.ts';
import type {Host} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import {pageDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {type FilePane, joinedScenario, otherPage} from '../../app/run/trace/joinRuns.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {RunSource, ShownRun} from './loads.ts';

/** Panes of trace files: the open ones, and those among them that are shown. */
export interface TracePanes {
  readonly all: readonly FilePane[];
  /** At least one of `all`, in the order of `all`. */
  readonly shown: readonly FilePane[];
}

/**
 * Keeps the recorded runs of trace files. The history holds only scenarios. So each run is represented by a scenario,
 * which is the key of the run here.
 */
export class TraceRuns {
  readonly #host: Host;
  readonly #panes = new WeakMap<Scenario, TracePanes>();
  readonly #runs = new WeakMap<Scenario, Promise<ShownRun>>();
  /** Maps the scenario of a recorded run to the run's page. */
  readonly #pages = new WeakMap<Scenario, Promise<PageSnapshot>>();

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Makes a scenario that represents these panes, so that they can be loaded, and that undo and redo can lead to them.
   * @throws RangeError if no pane is shown.
   */
  stand(panes: TracePanes): Scenario {
    const scenario = joinedScenario(panes.shown);
    if (scenario === undefined) throw new RangeError('no pane is shown');
    this.#panes.set(scenario, panes);
    return scenario;
  }

  /** The panes that a scenario represents; undefined for a scenario that is computed. */
  panesOf(scenario: Scenario): TracePanes | undefined {
    return this.#panes.get(scenario);
  }

  /**
   * The run of a scenario that represents trace files; undefined for other scenarios. The promise rejects if a page is
   * missing or has changed.
   */
  runOf(scenario: Scenario): Promise<ShownRun> | undefined {
    const panes = this.#panes.get(scenario);
    if (panes === undefined) return undefined;
    const known = this.#runs.get(scenario);
    if (known !== undefined) return known;
    const run = traceRun(scenario, panes.shown, pane => this.#pageOf(pane));
    this.#runs.set(scenario, run);
    // a later request tries again, because the page may be available then
    run.catch(() => this.#runs.delete(scenario));
    return run;
  }

  #pageOf(pane: FilePane): Promise<PageSnapshot> {
    const known = this.#pages.get(pane.scenario);
    if (known !== undefined) return known;
    const page = openPage(this.#host, pane);
    this.#pages.set(pane.scenario, page);
    page.catch(() => this.#pages.delete(pane.scenario));
    return page;
  }
}

/** Makes the run of these panes. The promise rejects if `pageOf` rejects. */
async function traceRun(
  scenario: Scenario,
  panes: readonly FilePane[],
  pageOf: (pane: FilePane) => Promise<PageSnapshot>,
): Promise<ShownRun> {
  const sources: RunSource[] = [];
  for (const pane of panes) sources.push({...pane, snapshot: await pageOf(pane)});
  const [first] = sources;
  if (first === undefined) throw new RangeError('no pane is shown');
  const traces = sources.map(({data}) => new Trace(data));
  const metrics = sources.map((source, i) => paneMetrics(source, traces[i]));
  return {scenario, page: first.snapshot, traces, metrics, sources};
}

/**
 * Opens the page that a file names.
 * @throws Error if the page cannot be opened, or if its content is not the content that the run loaded
 */
async function openPage(host: Host, pane: FilePane): Promise<PageSnapshot> {
  const {file, scenario} = pane;
  const opened = await host.openPage(pageDocument(scenario.page), 'trace file', conversionsOf(scenario.panes));
  if (!opened.ok) throw new Error(`the page of ${showName(file, LONGEST_NAME)}: ${opened.message}`);
  const problem = otherPage(pane, opened.page);
  if (problem !== undefined) throw new Error(problem);
  return opened.page;
}

/** The largest number of characters of a name in a message. */
const LONGEST_NAME = 80;
