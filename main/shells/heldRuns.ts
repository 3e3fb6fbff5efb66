import {createHash} from 'node:crypto';
import {refusal} from '../../app/base/refusal.ts';
import type {HeldRunAnswer, LoadAnswer} from '../../app/host/contract.ts';
import {panesOfFiles} from '../../app/run/trace/joinRuns.ts';

/**
 * Keeps trace files in memory, so that pictures can be taken of their runs. A run is named by the hash of its file.
 * Only the most recently used files are kept.
 */
export class HeldRuns {
  readonly #held = new Map<string, Uint8Array>();

  /** Keeps a trace file, if it is valid. */
  hold(file: Uint8Array): HeldRunAnswer {
    const read = panesOfFiles([{name: 'the run', bytes: file}]);
    if (!read.ok) return refusal(read.message);
    const run = createHash('sha256').update(file).digest('hex');
    this.#keep(run, file);
    return {ok: true, run};
  }

  get(run: unknown): LoadAnswer {
    const file = this.#held.get(String(run));
    if (file === undefined) return refusal('the trace file is no longer in memory: open it again');
    this.#keep(String(run), file);
    return {ok: true, run: file};
  }

  #keep(run: string, file: Uint8Array): void {
    this.#held.delete(run);
    this.#held.set(run, file);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_RUNS && oldest !== undefined) this.#held.delete(oldest);
  }
}

/**
 * The maximum number of runs that are kept. This is enough for a movie that is being recorded, and for stills that are
 * taken meanwhile.
 */
const MOST_RUNS = 3;
