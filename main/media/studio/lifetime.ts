import {MovieError} from './studio.ts';

/**
 * The lifetime of a browser, or of one of its pages. When it ends, all pending calls are rejected. Playwright 1.63
 * would never settle them when Chromium is killed.
 */
export class Lifetime {
  // Promise.race is not used: a promise that outlives the calls would keep all of their answers in memory, and pictures
  // are large.
  readonly #underWay = new Set<(reason: MovieError) => void>();
  #end: MovieError | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves with the result of `work`. @throws MovieError with the reason if the lifetime ends before `work` */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) reject(this.#end);
      this.#underWay.add(reject);
      work.then(resolve, reject).finally(() => this.#underWay.delete(reject));
    });
  }

  /**
   * Rejects all pending calls, and all calls that are made later. Only the first call of this method sets the reason.
   */
  end(reason: string): void {
    this.#end ??= new MovieError(reason);
    for (const reject of this.#underWay) reject(this.#end);
    this.#underWay.clear();
  }
}
