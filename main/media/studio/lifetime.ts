import {MovieError} from './studio.ts';

/**
 * The time during which a browser, or one of its pages, answers. When that time ends, calls that have no answer yet are
 * rejected: Playwright 1.63 never settles them when Chromium is killed.
 */
export class Lifetime {
  // Not Promise.race: a promise that outlives the calls would keep all of their answers in memory, and pictures are
  // large.
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
   * Rejects all calls, those that are waiting and those that will be made. If this is called again, the first reason
   * stays.
   */
  end(reason: string): void {
    this.#end ??= new MovieError(reason);
    for (const reject of this.#underWay) reject(this.#end);
    this.#underWay.clear();
  }
}
