import {createHash} from 'node:crypto';
import {refusal} from '../../app/base/refusal.ts';
import type {HeldRunAnswer, LoadAnswer} from '../../app/host/contract.ts';
import {panesOfFiles} from '../../app/run/trace/joinRuns.ts';

/**
 * Recorded runs that pictures are taken of, by the hash of their files. Only those that were used most recently are
 * held.
 */
export class HeldRuns {
  readonly #held = new Map<string, Uint8Array>();

  /** Holds a trace file, if it is valid. */
  hold(file: Uint8Array): HeldRunAnswer {
    const read = panesOfFiles([{name: 'the run', bytes: file}]);
    if (!read.ok) return refusal(read.message);
    const run = createHash('sha256').update(file).digest('hex');
    this.#keep(run, file);
    return {ok: true, run};
  }

  get(run: unknown): LoadAnswer {
    const file = this.#held.get(String(run));
    if (file === undefined) return refusal('the run is no longer held: open it again');
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

/** Most runs that are held: enough for a movie that is being recorded, and for stills that are taken meanwhile. */
const MOST_RUNS = 3;
