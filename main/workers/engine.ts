import type {Json} from '../../app/base/json.ts';
import {refusal} from '../../app/base/refusal.ts';
import {
  type CaptureAnswer,
  type EngineState,
  type LoadAnswer,
  MOST_SEEDS_AT_ONCE,
  type PacketAnswer,
  type PageAnswer,
  type Refusal,
  type SeedsAnswer,
} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {copyPage} from '../pages/base/pageSnapshot.ts';
import {Threads, type ThreadsOptions} from './engineThreads.ts';
import {Snapshots} from './snapshots.ts';

export interface EngineOptions extends Omit<ThreadsOptions, 'deadlineMs'> {
  readonly deadlineMs?: number;
}

/**
 * Opens pages and computes runs, on its own threads. A page is read when it is opened, and then kept in memory until
 * too many other pages were used ({@link Snapshots}). Every load names its page by the page's hash, so that all panes,
 * windows and parts of a movie load the same bytes.
 */
export class Engine {
  readonly #threads: Threads;
  readonly #snapshots = new Snapshots();

  constructor(options: EngineOptions) {
    this.#threads = new Threads({deadlineMs: DEADLINE_MS, ...options});
  }

  /**
   * The engine's state for a new window: 'ready' or 'failed'. The state 'restarted' is reported only to windows that
   * were open when a thread died. For a new window the engine is ready even then, because another thread replaces the
   * dead one.
   */
  get state(): EngineState {
    const {failure} = this.#threads;
    return failure === null ? {state: 'ready'} : {state: 'failed', message: failure};
  }

  pageNames(): Promise<readonly string[] | Refusal> {
    return this.#threads.call('pageNames', []);
  }

  /**
   * Reads a page, even if it was opened before. Its pictures are also converted in each way that `conversions` lists,
   * such as to WebP; by default they are not converted. `run` is the name of the run that needs the page, for {@link
   * cancelLoad}.
   */
  async openPage(document: Json, run: unknown, conversions: unknown = []): Promise<PageAnswer> {
    const answer = await this.#threads.call('openPage', [document, conversions], String(run));
    if (!answer.ok) return answer;
    this.#snapshots.add(answer.page);
    return {ok: true, page: copyPage(answer.page)};
  }

  /** Returns an opened page by its hash, or a refusal if the page is no longer in memory. */
  heldPage(hash: unknown): PageAnswer {
    const page = this.#held(hash);
    return page === undefined ? PAGE_GONE : {ok: true, page: copyPage(page)};
  }

  /**
   * Computes a run. `hash` names an opened page, and `run` names the run, for {@link cancelLoad}. `assumption` is one
   * of the assumptions in app/run/load/assumption.ts, such as a handshake that takes no time, which no scenario can
   * express. It is null for an ordinary run.
   */
  async load(scenario: Json, hash: unknown, run: unknown, assumption: unknown = null): Promise<LoadAnswer> {
    const page = this.#held(hash);
    return page === undefined ? PAGE_GONE : this.#threads.call('load', [scenario, page, assumption], String(run));
  }

  /**
   * Computes one run for each seed. Each run is a separate background call, so that a more urgent call waits for at
   * most one of them. `loadSeed` in engineThread.ts explains `eye` and `hasCauses`.
   */
  async loadSeeds(
    scenario: Json,
    hash: unknown,
    seeds: unknown,
    run: unknown,
    eye: unknown = null,
    hasCauses: unknown = false,
  ): Promise<SeedsAnswer> {
    const page = this.#held(hash);
    if (page === undefined) return PAGE_GONE;
    if (!Array.isArray(seeds) || seeds.length > MOST_SEEDS_AT_ONCE) return TOO_MANY;
    const answers = await Promise.all(
      seeds.map(seed => {
        return this.#threads.callInBackground('loadSeed', [scenario, page, seed, eye, hasCauses], String(run));
      }),
    );
    const refused = answers.find(answer => !answer.ok);
    if (refused !== undefined) return refused;
    return {ok: true, rows: answers.flatMap(answer => (answer.ok ? [answer.row] : []))};
  }

  /** Decodes one packet of a computed run. */
  async packetParts(scenario: Json, hash: unknown, pane: unknown, row: unknown, run: unknown): Promise<PacketAnswer> {
    const page = this.#held(hash);
    return page === undefined ? PAGE_GONE : this.#threads.call('packetParts', [scenario, page, pane, row], String(run));
  }

  /** Returns all packets of one pane of a computed run. */
  async capture(scenario: Json, hash: unknown, pane: unknown, run: unknown): Promise<CaptureAnswer> {
    const page = this.#held(hash);
    return page === undefined ? PAGE_GONE : this.#threads.call('capture', [scenario, page, pane], String(run));
  }

  /** Ends all calls for the run with this name. */
  cancelLoad(run: unknown): void {
    this.#threads.cancel(String(run));
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  #held(hash: unknown): PageSnapshot | undefined {
    return typeof hash === 'string' ? this.#snapshots.get(hash) : undefined;
  }
}

const PAGE_GONE: Refusal = {
  ...refusal('the page that was opened for this run is no longer in memory: load it again'),
  isPageGone: true,
};

const TOO_MANY = refusal(`seeds must be a list of at most ${MOST_SEEDS_AT_ONCE}`);

/** Longest time for a call, in ms. The largest page needs far less, even on a slow machine. */
const DEADLINE_MS = 60_000;
