import {MovieError} from './studio.ts';

/**
 * How long a browser, or a page of it, answers. What is asked of it ends when it does: Playwright 1.63 never
 * settles what was under way when Chromium is killed.
 */
export class Lifetime {
  // not Promise.race: against a promise that outlives them it would keep every answer, and pictures are large
  readonly #underWay = new Set<(reason: MovieError) => void>();
  #end: MovieError | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** What `work` gives. @throws MovieError the reason, if the end comes first */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) reject(this.#end);
      this.#underWay.add(reject);
      work.then(resolve, reject).finally(() => this.#underWay.delete(reject));
    });
  }

  /** Ends what is under way, and what is asked from now on; the first reason stays. */
  end(reason: string): void {
    this.#end ??= new MovieError(reason);
    for (const reject of this.#underWay) reject(this.#end);
    this.#underWay.clear();
  }
}
