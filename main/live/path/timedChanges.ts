import {messageOf} from '../../../app/base/text.ts';
import {changePath, type PathSettings} from '../../../app/run/scenario/path.ts';
import type {RunningChange} from '../../../app/run/scenario/runningPath.ts';
import type {Change} from '../../../app/run/scenario/scenario.ts';

export interface TimedChangesOptions {
  readonly changes: readonly Change[];
  /** Returns the path's current settings. */
  readonly settings: () => PathSettings;
  readonly apply: (change: RunningChange) => void | Promise<void>;
  /** Called with the reason if a change cannot be made. */
  readonly onProblem: (message: string) => void;
}

/** Makes the changes of a scenario in real time. Their times count from {@link TimedChanges.start}. */
export class TimedChanges {
  readonly #options: TimedChangesOptions;
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(options: TimedChangesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timers = this.#options.changes
      .filter(({atMs}) => atMs <= LONGEST_WAIT_MS)
      .map(change => setTimeout(() => void this.#make(change), change.atMs));
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #make({atMs, path: change}: Change): Promise<void> {
    const {settings, apply, onProblem} = this.#options;
    try {
      const isHandover = change.handover !== undefined;
      await apply({path: changePath(settings(), change), isHandover, isNewTraffic: false, seed: undefined});
    } catch (error) {
      onProblem(`the change at ${atMs} ms could not be made: ${messageOf(error)}`);
    }
  }
}

/** The longest time that a timer of Node can be set for: 24 days. Later changes are not made. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
