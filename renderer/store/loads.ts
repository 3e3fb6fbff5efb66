import type {Host, Refusal} from '../../app/ipc/contract.ts';
import {measure, type PaneMetrics} from '../../app/metrics/metrics.ts';
import type {Page} from '../../app/page/page.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Pane} from '../../app/scenario/pane.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {decodeRun} from '../../app/trace/runFile.ts';
import {Trace} from '../../app/trace/trace.ts';

/** A computed run, with what it was computed from. */
export interface ShownRun {
  readonly scenario: Scenario;
  readonly page: Page;
  /** One for each pane of the scenario. */
  readonly traces: readonly Trace[];
  /** Of each trace. */
  readonly metrics: readonly PaneMetrics[];
}

export type LoadResult = {readonly ok: true; readonly run: ShownRun} | Refusal;

type PaneResult = {readonly ok: true; readonly trace: Trace; readonly metrics: PaneMetrics} | Refusal;

/** Computes runs, one at a time. What is asked for meanwhile waits, and only the newest of it. */
export class Loads {
  readonly #host: Host;
  readonly #show: (result: LoadResult, isLast: boolean) => void;
  #next: Scenario | null = null;
  #isBusy = false;
  #page: {readonly source: string; readonly page: Page} | null = null;

  /** `show` is told each result; `isLast` if nothing waits behind it. */
  constructor(host: Host, show: (result: LoadResult, isLast: boolean) => void) {
    this.#host = host;
    this.#show = show;
  }

  request(scenario: Scenario): void {
    this.#next = scenario;
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#next !== null) {
      const scenario = this.#next;
      this.#next = null;
      const result = await this.#load(scenario).catch(refusal);
      this.#show(result, this.#next === null);
    }
    this.#isBusy = false;
  }

  async #load(scenario: Scenario): Promise<LoadResult> {
    const document = scenarioDocument(scenario);
    const source = JSON.stringify(document['page']);
    if (this.#page?.source !== source) {
      const answer = await this.#host.openPage(document['page'] ?? null);
      if (!answer.ok) return answer;
      this.#page = {source, page: answer.page};
    }
    const {page} = this.#page;
    const panes = await Promise.all(scenario.panes.map(pane => this.#loadPane(scenario, pane)));
    const refused = panes.find(pane => !pane.ok);
    if (refused !== undefined) return refused;
    const loaded = panes.filter(pane => pane.ok);
    const [traces, metrics] = [loaded.map(({trace}) => trace), loaded.map(({metrics}) => metrics)];
    return {ok: true, run: {scenario, page, traces, metrics}};
  }

  /** A pane depends on no other, so that the engine can compute all of them at once. */
  async #loadPane(scenario: Scenario, pane: Pane): Promise<PaneResult> {
    const answer = await this.#host.load(scenarioDocument({...scenario, panes: [pane]}));
    if (!answer.ok) return answer;
    const decoded = decodeRun(answer.run);
    if (!decoded.ok) return refusal(new Error(decoded.message));
    const [data] = decoded.run.panes;
    if (data === undefined) return refusal(new Error('a run without a pane'));
    return {ok: true, trace: new Trace(data), metrics: measure(data)};
  }
}

function refusal(error: unknown): Refusal {
  return {ok: false, problems: [], message: error instanceof Error ? error.message : String(error)};
}
