import {refusal, refusalOf} from '../../app/base/refusal.ts';
import type {Host, Refusal} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import {measure, type PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {isShared, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {FilePane} from '../../app/run/trace/joinRuns.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {type LiveState, liveRun} from './liveRun.ts';
import {pageKey} from './pageKey.ts';

/** A run that can be shown, with its scenario and its page. */
export interface ShownRun {
  readonly scenario: Scenario;
  /** The page that every pane loads. If `sources` is set, the page of the first pane. */
  readonly page: PageSnapshot;
  /** The trace of each pane of the scenario. */
  readonly traces: readonly Trace[];
  /** The metrics of each trace. */
  readonly metrics: readonly PaneMetrics[];
  /**
   * Set only for trace files: the recorded run that each pane belongs to. In this case `scenario` has the settings of
   * all panes, and its other keys are those of the first pane's run.
   */
  readonly sources?: readonly RunSource[];
  /** The progress of a live load; undefined for any other run. */
  readonly live?: LiveState;
}

/** A pane of a trace file, and the page that the pane loads. */
export interface RunSource extends FilePane {
  readonly snapshot: PageSnapshot;
}

export type LoadResult = {readonly ok: true; readonly run: ShownRun} | Refusal;

interface OpenedPage {
  readonly ok: true;
  readonly page: PageSnapshot;
}

type Computed = {readonly ok: true; readonly traces: readonly Trace[]} | Refusal;

export interface LoadsOptions {
  /**
   * How long a computed load may take while a newer one waits, ms. After that the newer one replaces it. A live load is
   * replaced immediately.
   */
  readonly patienceMs: number;
  /**
   * A live load that is requested less than this time after the previous request waits for this time before it begins,
   * ms.
   */
  readonly restMs: number;
  /** If a scenario's run was computed or is being computed elsewhere, returns this run. Otherwise returns undefined. */
  readonly prepared?: (scenario: Scenario) => Promise<ShownRun | undefined> | undefined;
}

/**
 * Computes runs, one at a time. If loads are requested meanwhile, only the newest waits. A load that takes too long is
 * given up for the one that waits.
 */
export class Loads {
  readonly #host: Host;
  readonly #show: (result: LoadResult, isLast: boolean) => void;
  readonly #options: LoadsOptions;
  #next: {readonly scenario: Scenario; readonly isAnew: boolean} | null = null;
  /** Whether the newest load was requested soon after the previous one. */
  #isHasty = false;
  #requestedMs = Number.NEGATIVE_INFINITY;
  /** The load under way. */
  #current: CurrentLoad | null = null;
  #page: {readonly key: string; readonly page: PageSnapshot} | null = null;

  /**
   * `show` is called with each result. `isLast` is true if no other load waits and, for a live load, if it has ended.
   */
  constructor(host: Host, show: (result: LoadResult, isLast: boolean) => void, options: Partial<LoadsOptions> = {}) {
    this.#host = host;
    this.#show = show;
    this.#options = {patienceMs: PATIENCE_MS, restMs: REST_MS, ...options};
  }

  /** Loads a scenario. Its page is opened unless it is open already. */
  request(scenario: Scenario): void {
    // if this load replaces a waiting load that would have opened the page again, this load opens it again instead
    this.#enqueue(scenario, this.#next?.isAnew ?? false);
  }

  /** Loads a scenario as {@link request} does, but always opens its page again. */
  requestAnew(scenario: Scenario): void {
    this.#enqueue(scenario, true);
  }

  /** Forgets the page that is open, so that the next load opens its page again. */
  forgetPage(): void {
    this.#page = null;
  }

  /** Loads a scenario as {@link request} does, with a page that the host already keeps under `hash`. */
  requestHeld(scenario: Scenario, hash: string): void {
    void this.#host.heldPage(hash).then(
      answer => {
        if (answer.ok) this.#page = {key: pageKey(scenario), page: answer.page};
        if (answer.ok) this.request(scenario);
        else this.#showResult(answer, true);
      },
      error => this.#showResult(refusalOf(error), true),
    );
  }

  /** Gives up the load under way and the load that waits. */
  cancel(): void {
    this.#next = null;
    this.#current?.giveUp();
  }

  #enqueue(scenario: Scenario, isAnew: boolean): void {
    this.#next = {scenario, isAnew};
    const nowMs = performance.now();
    this.#isHasty = nowMs - this.#requestedMs < this.#options.restMs;
    this.#requestedMs = nowMs;
    if (this.#current === null) void this.#work();
    else this.#current.makeWay();
  }

  async #work(): Promise<void> {
    try {
      await this.#loadAll();
    } finally {
      // in a `finally`, so that the next load begins even if `show` throws for a refusal
      this.#current = null;
      if (this.#next !== null) void this.#work();
    }
  }

  async #loadAll(): Promise<void> {
    while (this.#next !== null) {
      const {scenario, isAnew} = this.#next;
      this.#next = null;
      // an outdated live load is useless and keeps its server busy
      const current = new CurrentLoad(isLive(scenario) ? 0 : this.#options.patienceMs);
      this.#current = current;
      const load = isAnew ? this.#loadAnew(scenario, current.run) : this.#load(scenario, current.run);
      const result = await Promise.race([load.catch(refusalOf), current.overtaken]);
      current.end();
      if (result === null) void this.#host.cancelLoad(current.run).catch(() => undefined);
      else this.#showResult(result, this.#next === null);
    }
  }

  /** Calls `show`. If that throws, it is called again with the error as a refusal. */
  #showResult(result: LoadResult, isLast: boolean): void {
    try {
      this.#show(result, isLast);
    } catch (error) {
      this.#show(refusalOf(error), isLast);
    }
  }

  /** Opens the page again and loads it. Prepared runs are not used, because they loaded the page's earlier content. */
  #loadAnew(scenario: Scenario, run: string): Promise<LoadResult> {
    this.forgetPage();
    return this.#loadPanes(scenario, run);
  }

  async #load(scenario: Scenario, run: string): Promise<LoadResult> {
    const coming = this.#options.prepared?.(scenario);
    const prepared = coming === undefined ? undefined : await coming;
    if (prepared !== undefined) return {ok: true, run: prepared};
    const held = this.#page;
    const result = await this.#loadPanes(scenario, run);
    if (result.ok || result.isPageGone !== true || held === null) return result;
    if (this.#page === held) this.#page = null;
    return this.#loadPanes(scenario, run);
  }

  async #loadPanes(scenario: Scenario, run: string): Promise<LoadResult> {
    // no `await` if the page is open already, so that the engine begins before the window renders the edit
    const opened = this.#opened(scenario) ?? (await this.#open(scenario, run));
    if (!opened.ok) return opened;
    const {page} = opened;
    if (isLive(scenario)) return this.#loadLive(scenario, page, run);
    const parts = isShared(scenario) ? [scenario] : scenario.panes.map(pane => ({...scenario, panes: [pane]}));
    const results = await Promise.all(parts.map(part => this.#compute(part, page, run)));
    const refused = results.find(result => !result.ok);
    if (refused !== undefined) return refused;
    const traces = results.flatMap(result => (result.ok ? result.traces : []));
    const metrics = traces.map(trace => measure(trace.data, trace));
    return {ok: true, run: {scenario, page, traces, metrics}};
  }

  #opened(scenario: Scenario): OpenedPage | undefined {
    return this.#page?.key === pageKey(scenario) ? {ok: true, page: this.#page.page} : undefined;
  }

  async #open(scenario: Scenario, run: string): Promise<OpenedPage | Refusal> {
    const key = pageKey(scenario);
    const answer = await this.#host.openPage(
      scenarioDocument(scenario)['page'] ?? null,
      run,
      conversionsOf(scenario.panes),
    );
    // a load that was overtaken must not replace the page
    if (answer.ok && this.#current?.run === run) this.#page = {key, page: answer.page};
    return answer;
  }

  /** Shows each state of a live load until the load has ended. Returns the last state. */
  async #loadLive(scenario: Scenario, page: PageSnapshot, run: string): Promise<LoadResult> {
    // while a slider moves, the server is not asked for every value that the slider passes
    if (this.#isHasty) await new Promise(resolve => setTimeout(resolve, this.#options.restMs));
    const document = scenarioDocument(scenario);
    let result: LoadResult = ENDED;
    while (this.#current?.run === run && !this.#current.isOvertaken) {
      result = liveRun(scenario, page, await this.#host.loadLive(document, page.hash, run));
      if (!result.ok || result.run.live?.isOver !== false || this.#current?.run !== run) return result;
      if (!this.#current.isOvertaken) this.#show(result, false);
    }
    return result;
  }

  /**
   * Computes the panes of a scenario in one call of the engine. Panes that do not share the path are independent:
   * {@link #loadPanes} makes a call for each of them, so that the engine can compute all of them at the same time.
   */
  async #compute(scenario: Scenario, page: PageSnapshot, run: string): Promise<Computed> {
    const answer = await this.#host.load(scenarioDocument(scenario), page.hash, run);
    if (!answer.ok) return answer;
    const decoded = decodeRun(answer.run);
    if (!decoded.ok) return refusal(decoded.message);
    const {panes} = decoded.run;
    if (panes.length !== scenario.panes.length) return refusal('the run lacks a pane');
    return {ok: true, traces: panes.map(data => new Trace(data))};
  }
}

/** A load under way. `run` is a name that no other load has, in any window. */
class CurrentLoad {
  readonly run = crypto.getRandomValues(new Uint32Array(4)).join('-');
  /** Resolves with null when this load is given up, for example because a newer one waits. */
  readonly overtaken: Promise<null>;
  readonly #patienceMs: number;
  readonly #startedMs = performance.now();
  #overtake: () => void = () => undefined;
  #isOvertaken = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.overtaken = new Promise(resolve => {
      this.#overtake = () => {
        this.#isOvertaken = true;
        resolve(null);
      };
    });
  }

  get isOvertaken(): boolean {
    return this.#isOvertaken;
  }

  giveUp(): void {
    this.#overtake();
  }

  /** Called when a newer load waits. Ends this load when its time is over. */
  makeWay(): void {
    const leftMs = this.#startedMs + this.#patienceMs - performance.now();
    this.#timer ??= setTimeout(this.#overtake, Math.max(leftMs, 0));
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function isLive({path}: Scenario): boolean {
  return path.live !== undefined;
}

/** While a slider moves, a value that it passes is shown if the value's run is computed within this time, ms. */
const PATIENCE_MS = 1000;
/** This is longer than the time between two moves of one drag, ms. */
const REST_MS = 250;
const ENDED: LoadResult = refusal('the load was ended');
