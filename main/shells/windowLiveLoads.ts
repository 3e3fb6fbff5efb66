import {refusal, refusalOf, refuseDocument} from '../../app/base/refusal.ts';
import type {LiveAnswer, PageAnswer, Refusal} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {program} from '../files/program.ts';
import {boundTokens} from '../live/base/liveToken.ts';
import type {LiveLoad} from '../live/client/liveLoad.ts';

/**
 * The module for live loads. It is loaded on demand: it needs the addon, and the window also works without the addon.
 */
export type LiveModule = Pick<typeof import('../live/client/liveLoad.ts'), 'LiveLoad'>;

export interface WindowLiveLoadsOptions {
  readonly open: () => Promise<LiveModule>;
  /** Returns a page that was opened, by its hash. */
  readonly pageOf: (hash: unknown) => PageAnswer;
  /** Time in ms after which a load is ended if no window asks for it. */
  readonly patienceMs?: number;
}

/**
 * The live loads of windows, keyed by the names of their runs. They need no threads, because they mostly wait for
 * sockets.
 */
export class WindowLiveLoads {
  readonly #options: WindowLiveLoadsOptions;
  readonly #loads = new Map<string, WatchedLoad>();

  constructor(options: WindowLiveLoadsOptions) {
    this.#options = options;
  }

  /**
   * Starts the load of a run. If the load was started before, waits for its end, but only for a short time. Returns the
   * traces so far. This answers the call `loadLive` of the contract.
   */
  load(document: unknown, hash: unknown, run: unknown): Promise<LiveAnswer> | LiveAnswer {
    const name = String(run);
    const known = this.#loads.get(name);
    if (known !== undefined) return known.next();
    if (this.#loads.size >= MOST_LOADS)
      return refusal(`there are ${MOST_LOADS} live loads already: cancel one of them first`);
    const parsed = parseScenario(document);
    if (!parsed.ok) return refuseDocument(parsed.problems);
    const {live} = parsed.scenario.path;
    if (live === undefined) return refusal('path.live is missing: the scenario is not live');
    const answer = this.#options.pageOf(hash);
    if (!answer.ok) return answer;
    const load = new WatchedLoad(answer.page, parsed.scenario, {
      open: this.#options.open,
      patienceMs: this.#options.patienceMs ?? TIMEOUT_MS,
      onRemoved: () => this.#loads.delete(name),
    });
    this.#loads.set(name, load);
    return load.next();
  }

  /** Ends the load of a run, if there is one, and closes all of its sockets. */
  cancel(run: unknown): void {
    this.#loads.get(String(run))?.end();
  }

  close(): void {
    for (const load of this.#loads.values()) load.end();
  }
}

interface WatchOptions {
  readonly open: () => Promise<LiveModule>;
  readonly patienceMs: number;
  /** Called when a load that has finished or failed is asked for, or when the load is ended early. */
  readonly onRemoved: () => void;
}

/** A load whose traces a window asks for again and again. */
class WatchedLoad {
  readonly #options: WatchOptions;
  readonly #abort = new AbortController();
  readonly #notes: string[] = [];
  readonly #begun: Promise<LiveLoad>;
  readonly #over: Promise<void>;
  #failure: Refusal | null = null;
  #isOver = false;
  #pauseMs = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(page: PageSnapshot, scenario: Scenario, options: WatchOptions) {
    this.#options = options;
    this.#begun = this.#begin(page, scenario);
    this.#over = this.#begun
      .then(load => load.run())
      .then(
        () => {
          this.#isOver = true;
        },
        (error: unknown) => {
          this.#failure = refusalOf(error);
          // this closes the sockets that other panes have open
          this.#abort.abort(ENDED);
        },
      );
  }

  /** Resolves with the next answer after a pause, or as soon as the load has finished. */
  async next(): Promise<LiveAnswer> {
    clearTimeout(this.#patience);
    const load = await this.#begun.catch(() => null);
    let pause: NodeJS.Timeout | undefined;
    const paused = new Promise<void>(resolve => {
      pause = setTimeout(resolve, this.#pauseMs);
    });
    await Promise.race([this.#over, paused]);
    clearTimeout(pause);
    const isOver = this.#isOver || this.#failure !== null;
    if (isOver) this.#options.onRemoved();
    else this.#patience = setTimeout(() => this.end(), this.#options.patienceMs);
    if (this.#failure !== null || load === null) return this.#failure ?? refusal(ENDED.message);
    const startedMs = performance.now();
    const run = encodeRun({...load.soFar(), program: program()});
    // encoding a large trace takes time; the pause is long enough that most of the time remains for the load
    this.#pauseMs = Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedMs));
    return {ok: true, run, isOver, notes: [...this.#notes]};
  }

  end(): void {
    clearTimeout(this.#patience);
    this.#abort.abort(ENDED);
    this.#options.onRemoved();
  }

  async #begin(page: PageSnapshot, scenario: Scenario): Promise<LiveLoad> {
    const tokenFor = boundTokens();
    const {LiveLoad} = await this.#options.open();
    const onNote = (note: string): void => void this.#notes.push(note);
    return new LiveLoad(page, scenario, {signal: this.#abort.signal, tokenFor, onNote});
  }
}

const ENDED = new Error('the load was ended');
/** Time in ms after which a window is regarded as closed. An open window asks again as soon as it has an answer. */
const TIMEOUT_MS = 10_000;
/** Shortest pause in ms between two answers. It allows ten updates a second. */
const SHORTEST_PAUSE_MS = 100;
/** Pause after an answer, as a multiple of the time that it took to encode the answer. */
const PAUSE_FACTOR = 8;
/** Largest number of loads of all windows together. */
const MOST_LOADS = 8;
