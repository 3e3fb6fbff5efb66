import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host, Refusal, SeedRow, SeedsAnswer} from '../../app/ipc/contract.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import type {ShownRun} from '../store/loads.ts';

/** Runs of seeds 1, 2, 3, … of one scenario, computed while something else is on show. */
export interface SeedRunsState {
  /** What the rows are of ({@link subjectOf}); empty before anything was asked for. */
  readonly subject: string;
  /** Of seeds 1 to `rows.length`. */
  readonly rows: readonly SeedRow[];
  /** How many are asked for. */
  readonly wanted: number;
  readonly isBusy: boolean;
  /** What for: the typical one of them, or all of them. */
  readonly purpose: Purpose;
  /** Why it stopped by itself; null if it did not. */
  readonly problem: string | null;
}

export type Purpose = 'typical' | 'all';

interface SeedRunsOptions {
  /** How long what was cancelled may go on, ms. */
  readonly patienceMs: number;
}

/**
 * Asks the host for a few seeds at a time, so that progress shows and what is looked at goes before. What was
 * computed stays, whatever happens: it goes on from there.
 */
export class SeedRuns {
  readonly store: StoreApi<SeedRunsState>;
  readonly #host: Host;
  readonly #options: SeedRunsOptions;
  /** What is computed; another one, or none, ends it. */
  #wish: Wish | null = null;

  constructor(host: Host, options: SeedRunsOptions = {patienceMs: PATIENCE_MS}) {
    this.#host = host;
    this.#options = options;
    this.store = createStore(() => FIRST_STATE);
  }

  /**
   * Seeds 1 to `count` of the run's scenario, but for those that are there. What was asked for before and is not done
   * is given up. Kept, when all are there, with their rows; with null if it was cancelled, or failed.
   */
  async ask(
    run: Pick<ShownRun, 'scenario' | 'page'>,
    eye: Eye | null,
    count: number,
    purpose: Purpose = 'all',
  ): Promise<readonly SeedRow[] | null> {
    this.cancel();
    const subject = subjectOf(run, eye);
    const {rows: before, subject: subjectBefore} = this.store.getState();
    const rows = subject === subjectBefore ? before : [];
    const wish: Wish = {run: crypto.getRandomValues(new Uint32Array(4)).join('-'), isAsking: false};
    this.#wish = wish;
    this.store.setState({subject, rows, wanted: count, isBusy: true, purpose, problem: null});
    const document = scenarioDocument(run.scenario);
    for (let {length} = rows; length < count; {length} = this.store.getState().rows) {
      const seeds = Array.from({length: Math.min(BATCH, count - length)}, (_, i) => length + 1 + i);
      const load = () => this.#host.loadSeeds(document, run.page.hash, seeds, wish.run, eye).catch(refusal);
      const answer = await this.#answer(wish, load);
      if (this.#wish !== wish) return null;
      if (!answer.ok) {
        this.#wish = null;
        this.store.setState({isBusy: false, problem: answer.message});
        return null;
      }
      this.store.setState(state => ({rows: [...state.rows, ...answer.rows]}));
    }
    this.#wish = null;
    this.store.setState({isBusy: false});
    return this.store.getState().rows.slice(0, count);
  }

  /** What is there stays. */
  cancel(): void {
    const wish = this.#wish;
    this.#wish = null;
    this.store.setState({isBusy: false});
    if (wish === null) return;
    // to end it at once would end the thread, which takes longer to start than most seeds take
    setTimeout(() => {
      if (wish.isAsking) void this.#host.cancelLoad(wish.run).catch(() => undefined);
    }, this.#options.patienceMs);
  }

  /** It is known why it stopped. */
  dismiss(): void {
    this.store.setState({problem: null});
  }

  /** What an engine died of is tried once more: it is often another run's fault. */
  async #answer(wish: Wish, load: () => Promise<SeedsAnswer>): Promise<SeedsAnswer> {
    wish.isAsking = true;
    const first = await load();
    const answer = first.ok || this.#wish !== wish ? first : await load();
    wish.isAsking = false;
    return answer;
  }
}

interface Wish {
  /** By a name that no other window has. */
  readonly run: string;
  isAsking: boolean;
}

/** What runs of other seeds have in common: everything of a run but its seed. */
export function subjectOf({scenario, page}: Pick<ShownRun, 'scenario' | 'page'>, eye: Eye | null): string {
  const anySeed: Scenario = {...scenario, seed: 0, typicalOf: null};
  return JSON.stringify([page.hash, scenarioDocument(anySeed), eye?.thresholds ?? null]);
}

/**
 * Whether `count` seeds of a subject have to be asked for: more of them, or fewer, than are under way or there. What is
 * under way for the typical seed is left to end.
 */
export function hasToAsk(state: SeedRunsState, subject: string, count: number): boolean {
  if (state.subject !== subject) return true;
  if (state.isBusy) return state.purpose === 'all' && state.wanted !== count;
  return state.wanted !== count || state.rows.length < count;
}

function refusal(error: unknown): Refusal {
  return {ok: false, problems: [], message: error instanceof Error ? error.message : String(error)};
}

const FIRST_STATE: SeedRunsState = {
  ...{subject: '', rows: [], wanted: 0, isBusy: false},
  ...{purpose: 'all', problem: null},
};

/** Shows often, and asks seldom. */
const BATCH = 5;
const PATIENCE_MS = 1000;
