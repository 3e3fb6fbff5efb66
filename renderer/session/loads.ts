import {messageOf} from '../../app/base/text.ts';
import type {Host, Refusal} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf, type Pane} from '../../app/pipelines/index.ts';
import {measure, type PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {FilePane} from '../../app/run/trace/joinRuns.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {type LiveState, liveRun} from './liveRun.ts';
import {pageKey} from './pageKey.ts';

/** A run on show, with what it was computed from. */
export interface ShownRun {
  readonly scenario: Scenario;
  /** The same in every pane, or the first one's where `sources` say what each one's is. */
  readonly page: PageSnapshot;
  /** One for each pane of the scenario. */
  readonly traces: readonly Trace[];
  /** Of each trace. */
  readonly metrics: readonly PaneMetrics[];
  /** Of panes that are from trace files: what each is of. `scenario` then has their settings, and the rest of the first. */
  readonly sources?: readonly RunSource[];
  /** Of a live load: there is more to come, or all of it is there. */
  readonly live?: LiveState;
}

/** A pane of a trace file, and the page that it shows. */
export interface RunSource extends FilePane {
  readonly snapshot: PageSnapshot;
}

export type LoadResult = {readonly ok: true; readonly run: ShownRun} | Refusal;

interface OpenedPage {
  readonly ok: true;
  readonly page: PageSnapshot;
}

type PaneResult = {readonly ok: true; readonly trace: Trace; readonly metrics: PaneMetrics} | Refusal;

export interface LoadsOptions {
  /** How long a load is waited for when there is a newer wish. */
  readonly patienceMs: number;
  /** How long a live load waits for a newer wish, where they come that soon after each other. */
  readonly restMs: number;
  /** A run that is there already, or will be; undefined if it must be computed after all. */
  readonly prepared?: (scenario: Scenario) => Promise<ShownRun | undefined> | undefined;
}

/**
 * Computes runs, one at a time. What is asked for meanwhile waits, and only the newest of it; a load that takes long
 * gives way to it.
 */
export class Loads {
  readonly #host: Host;
  readonly #show: (result: LoadResult, isLast: boolean) => void;
  readonly #options: LoadsOptions;
  #next: {readonly scenario: Scenario; readonly isAnew: boolean} | null = null;
  /** The newest wish came soon after the one before. */
  #isHasty = false;
  #wishedMs = Number.NEGATIVE_INFINITY;
  /** The load under way. */
  #current: Wish | null = null;
  #page: {readonly key: string; readonly page: PageSnapshot} | null = null;

  /** `show` is told each result; `isLast` if nothing waits behind it, and of a live load no more will come. */
  constructor(host: Host, show: (result: LoadResult, isLast: boolean) => void, options: Partial<LoadsOptions> = {}) {
    this.#host = host;
    this.#show = show;
    this.#options = {patienceMs: PATIENCE_MS, restMs: REST_MS, ...options};
  }

  /** Of the page as it was opened; it is opened where that is another one. */
  request(scenario: Scenario): void {
    // what was wished to be opened anew still is
    this.#wish(scenario, this.#next?.isAnew ?? false);
  }

  /** As {@link request}, of the page as it is now. */
  requestAnew(scenario: Scenario): void {
    this.#wish(scenario, true);
  }

  /** The page is opened again for the next wish. */
  forgetPage(): void {
    this.#page = null;
  }

  /** As {@link request}, of the page that was opened by somebody else, by its hash. */
  requestHeld(scenario: Scenario, hash: string): void {
    void this.#host.heldPage(hash).then(
      answer => {
        if (answer.ok) this.#page = {key: pageKey(scenario), page: answer.page};
        if (answer.ok) this.request(scenario);
        else this.#tell(answer, true);
      },
      error => this.#tell(refusal(error), true),
    );
  }

  /** What is loaded is given up, and what waits. */
  cancel(): void {
    this.#next = null;
    this.#current?.giveUp();
  }

  #wish(scenario: Scenario, isAnew: boolean): void {
    this.#next = {scenario, isAnew};
    const nowMs = performance.now();
    this.#isHasty = nowMs - this.#wishedMs < this.#options.restMs;
    this.#wishedMs = nowMs;
    if (this.#current === null) void this.#work();
    else this.#current.makeWay();
  }

  async #work(): Promise<void> {
    try {
      await this.#loadAll();
    } finally {
      // also after a bug in what shows refusals: the next wish is loaded
      this.#current = null;
      if (this.#next !== null) void this.#work();
    }
  }

  async #loadAll(): Promise<void> {
    while (this.#next !== null) {
      const {scenario, isAnew} = this.#next;
      this.#next = null;
      // of a live one nothing is left that is worth the time, and its server has others to serve
      const wish = new Wish(isLive(scenario) ? 0 : this.#options.patienceMs);
      this.#current = wish;
      const load = isAnew ? this.#loadAnew(scenario, wish.run) : this.#load(scenario, wish.run);
      const result = await Promise.race([load.catch(refusal), wish.overtaken]);
      wish.end();
      if (result === null) void this.#host.cancelLoad(wish.run).catch(() => undefined);
      else this.#tell(result, this.#next === null);
    }
  }

  /** A run that cannot be shown is told as one that cannot be had. */
  #tell(result: LoadResult, isLast: boolean): void {
    try {
      this.#show(result, isLast);
    } catch (error) {
      this.#show(refusal(error), isLast);
    }
  }

  /** What is prepared is of the page as it was. */
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
    // a page that is there is not waited for: the engine begins before the window shows what was edited
    const opened = this.#opened(scenario) ?? (await this.#open(scenario, run));
    if (!opened.ok) return opened;
    const {page} = opened;
    if (isLive(scenario)) return this.#loadLive(scenario, page, run);
    const panes = await Promise.all(scenario.panes.map(pane => this.#loadPane(scenario, pane, page, run)));
    const refused = panes.find(pane => !pane.ok);
    if (refused !== undefined) return refused;
    const loaded = panes.filter(pane => pane.ok);
    const [traces, metrics] = [loaded.map(({trace}) => trace), loaded.map(({metrics}) => metrics)];
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
    // one that was overtaken has no say any more
    if (answer.ok && this.#current?.run === run) this.#page = {key, page: answer.page};
    return answer;
  }

  /** Tells what there is of it until all is. */
  async #loadLive(scenario: Scenario, page: PageSnapshot, run: string): Promise<LoadResult> {
    // a hand is on a control, and a server is not asked for all that it passes
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

  /** A pane depends on no other, so that the engine can compute all of them at once. */
  async #loadPane(scenario: Scenario, pane: Pane, page: PageSnapshot, run: string): Promise<PaneResult> {
    const answer = await this.#host.load(scenarioDocument({...scenario, panes: [pane]}), page.hash, run);
    if (!answer.ok) return answer;
    const decoded = decodeRun(answer.run);
    if (!decoded.ok) return refusal(new Error(decoded.message));
    const [data] = decoded.run.panes;
    if (data === undefined) return refusal(new Error('a run without a pane'));
    const trace = new Trace(data);
    return {ok: true, trace, metrics: measure(data, trace)};
  }
}

/** A load under way, by a name that no other window has. */
class Wish {
  readonly run = crypto.getRandomValues(new Uint32Array(4)).join('-');
  /** Kept, with null, when it must give way to a newer one. */
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

  /** There is a newer one: this one has what is left of its time. */
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

function refusal(error: unknown): Refusal {
  return {ok: false, problems: [], message: messageOf(error)};
}

/** A hand on a slider sees what it passes as long as that takes less. */
const PATIENCE_MS = 1000;
/** Of a drag, the moves are closer to each other. */
const REST_MS = 250;
const ENDED: LoadResult = {ok: false, problems: [], message: 'the load was ended'};
