import {createStore, type StoreApi} from 'zustand/vanilla';
import {refusalOf} from '../../../app/base/refusal.ts';
import type {Host, SeedRow, SeedsAnswer} from '../../../app/host/contract.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {cellCount, cellScenario, runCount} from '../../../app/study/experiment/grid.ts';
import {CellPages} from './cellPages.ts';
import {BATCH, type GridPlan, type Piece, piecesOf, subjectOf} from './gridPlan.ts';

/** The runs of every cell of a grid. They are computed in the background. */
export interface GridRunsState {
  /** Null until runs are requested. */
  readonly plan: GridPlan | null;
  /** Identifies the plan without its seeds ({@link subjectOf}). The rows of the cells belong to this plan. */
  readonly subject: string;
  /** The computed runs of each cell, in the order of the grid's seeds. There may be more runs than the plan needs. */
  readonly cells: readonly (readonly SeedRow[])[];
  readonly isBusy: boolean;
  /** Why the runs are computed: to find the typical run, or to show all runs. */
  readonly purpose: Purpose;
  /** How long the missing runs will take, ms; null if that is not known yet. */
  readonly leftMs: number | null;
  /** Why computing failed; null if it did not fail. */
  readonly problem: string | null;
}

export type Purpose = 'typical' | 'all';

interface GridRunsOptions {
  /** How long the runs of a cancelled computation may continue before the host is told to end them, ms. */
  readonly patienceMs: number;
  /** A clock, ms. */
  readonly nowMs: () => number;
  /** The number of pieces that are computed at the same time. */
  readonly atOnce: number;
}

/**
 * Computes the runs of a grid. It asks the host for a few seeds of a cell at a time, so that progress is visible and
 * the run on screen has priority. Computed runs are kept and not computed again.
 */
export class GridRuns {
  readonly store: StoreApi<GridRunsState>;
  readonly #host: Host;
  readonly #options: GridRunsOptions;
  /** The pages of the current subject. */
  #pages: CellPages | null = null;
  /**
   * The current computation; null if nothing is being computed. A computation stops when it is not the current one any
   * more.
   */
  #computation: Computation | null = null;

  constructor(host: Host, options: Partial<GridRunsOptions> = {}) {
    this.#host = host;
    this.#options = {
      patienceMs: PATIENCE_MS,
      nowMs: () => performance.now(),
      atOnce: atOnceHere(),
      ...options,
    };
    this.store = createStore(() => FIRST_STATE);
  }

  /**
   * Computes the missing runs of the plan, and gives up an earlier plan. The promise resolves with the rows of each
   * cell when all are computed, or with null if this was cancelled or failed.
   */
  async ask(plan: GridPlan, purpose: Purpose = 'all'): Promise<readonly (readonly SeedRow[])[] | null> {
    this.cancel();
    const computation = this.#begin(plan, purpose);
    const startedMs = this.#options.nowMs();
    let done = 0;
    for await (const {piece, answer} of this.#answers(computation, plan)) {
      if (this.#computation !== computation) return null;
      if (!answer.ok) {
        this.cancel();
        this.store.setState({problem: answer.message});
        return null;
      }
      done += answer.rows.length;
      this.#add(piece, answer.rows, (this.#options.nowMs() - startedMs) / done);
    }
    if (this.#computation !== computation) return null;
    this.#computation = null;
    this.store.setState({isBusy: false});
    return this.store.getState().cells.map(rows => rows.slice(0, plan.grid.seeds.length));
  }

  /**
   * Measures about how long a run of the plan takes, ms. For this it computes some runs of the first and of the last
   * cell, and discards them. Returns null if the host refuses these runs.
   */
  async tryOut(plan: GridPlan): Promise<number | null> {
    const computation = newComputation(new CellPages(this.#host, plan.page));
    const seeds = plan.grid.seeds.slice(0, TRIED_SEEDS);
    const cells = [...new Set([0, cellCount(plan.grid) - 1])];
    const startedMs = this.#options.nowMs();
    for (const cell of cells) {
      const answer = await this.#load(computation, plan, {cell, seeds}).catch(refusalOf);
      if (!answer.ok) return null;
    }
    return (this.#options.nowMs() - startedMs) / (cells.length * seeds.length);
  }

  /** Stops computing. Runs that are already computed are kept. */
  cancel(): void {
    const computation = this.#computation;
    this.#computation = null;
    this.store.setState({isBusy: false});
    if (computation === null) return;
    // cancelling immediately would end the host's thread, and starting a thread takes longer than computing most seeds
    setTimeout(() => {
      if (computation.asking > 0) void this.#host.cancelLoad(computation.run).catch(() => undefined);
    }, this.#options.patienceMs);
  }

  /** Clears the reason why computing failed. */
  dismiss(): void {
    this.store.setState({problem: null});
  }

  #begin(plan: GridPlan, purpose: Purpose): Computation {
    const before = this.store.getState();
    const subject = subjectOf(plan);
    const isSame = subject === before.subject;
    if (!isSame) this.#pages = null;
    this.#pages ??= new CellPages(this.#host, plan.page);
    const cells = Array.from({length: cellCount(plan.grid)}, (_, cell) => {
      return isSame ? ofSeeds(before.cells[cell] ?? [], plan.grid.seeds) : [];
    });
    const computation = newComputation(this.#pages);
    this.#computation = computation;
    this.store.setState({plan, subject, cells, purpose, isBusy: true, leftMs: null, problem: null});
    return computation;
  }

  #add({cell}: Piece, rows: readonly SeedRow[], msPerRun: number): void {
    this.store.setState(state => {
      const cells = state.cells.map((there, i) => (i === cell ? [...there, ...rows] : there));
      return {cells, leftMs: msPerRun * (wantedRuns(state) - doneRuns({...state, cells}))};
    });
  }

  /**
   * The answers in the order of the pieces. Several pieces are computed at the same time, because an engine has several
   * threads.
   */
  async *#answers(computation: Computation, plan: GridPlan) {
    const pieces = piecesOf(plan.grid, this.store.getState().cells);
    const asked: {readonly piece: Piece; readonly answer: Promise<SeedsAnswer>}[] = [];
    for (;;) {
      while (asked.length < this.#options.atOnce) {
        const {value: piece} = pieces.next();
        if (piece === undefined) break;
        const load = () => this.#load(computation, plan, piece).catch(refusalOf);
        asked.push({piece, answer: this.#answer(computation, load)});
      }
      const first = asked.shift();
      if (first === undefined) return;
      yield {piece: first.piece, answer: await first.answer};
    }
  }

  /**
   * Calls `load`. If that fails, it calls `load` once more. If the engine dies, all of its calls fail, and often
   * another call is the cause.
   */
  async #answer(computation: Computation, load: () => Promise<SeedsAnswer>): Promise<SeedsAnswer> {
    computation.asking++;
    const first = await load();
    const answer = first.ok || this.#computation !== computation ? first : await load();
    computation.asking--;
    return answer;
  }

  async #load({run, pages}: Computation, {grid, eye, hasCauses}: GridPlan, {cell, seeds}: Piece): Promise<SeedsAnswer> {
    const scenario = cellScenario(grid, cell);
    const document = scenarioDocument(scenario);
    const opened = await pages.hashOf(scenario, run);
    if (!opened.ok) return opened;
    const answer = await this.#host.loadSeeds(document, opened.hash, seeds, run, eye, hasCauses);
    if (answer.ok || answer.isPageGone !== true) return answer;
    const again = await pages.openAgain(scenario, run);
    return again.ok ? this.#host.loadSeeds(document, again.hash, seeds, run, eye, hasCauses) : again;
  }
}

interface Computation {
  /** The name by which the host can cancel the calls. No other computation, in any window, has this name. */
  readonly run: string;
  readonly pages: CellPages;
  /** The number of calls under way. */
  asking: number;
}

function newComputation(pages: CellPages): Computation {
  return {run: crypto.getRandomValues(new Uint32Array(4)).join('-'), pages, asking: 0};
}

/** How many pieces are computed at the same time, so that their seeds use all threads of the engine. */
function atOnceHere(): number {
  // some versions of Node that run the tests have no `navigator`
  return Math.ceil((globalThis.navigator?.hardwareConcurrency ?? 1) / BATCH);
}

/** How many runs the plan asks for. */
export function wantedRuns({plan}: Pick<GridRunsState, 'plan'>): number {
  return plan === null ? 0 : runCount(plan.grid);
}

/** How many of the plan's runs are computed. */
export function doneRuns({plan, cells}: Pick<GridRunsState, 'plan' | 'cells'>): number {
  const most = plan?.grid.seeds.length ?? 0;
  return cells.reduce((sum, rows) => sum + Math.min(rows.length, most), 0);
}

/** The leading rows whose seeds equal `seeds` at the same positions. Rows beyond the end of `seeds` are included. */
function ofSeeds(rows: readonly SeedRow[], seeds: readonly number[]): readonly SeedRow[] {
  const other = rows.findIndex(({seed}, i) => i < seeds.length && seed !== seeds[i]);
  return other === -1 ? rows : rows.slice(0, other);
}

const FIRST_STATE: GridRunsState = {
  plan: null,
  subject: '',
  cells: [],
  isBusy: false,
  purpose: 'all',
  leftMs: null,
  problem: null,
};

const PATIENCE_MS = 1000;
const TRIED_SEEDS = 3;
