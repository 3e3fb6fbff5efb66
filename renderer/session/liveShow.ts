import {runEndNs} from '../../app/run/trace/trace.ts';
import {endedRun, isUnderWay} from './liveRun.ts';
import type {ShownRun} from './loads.ts';
import type {Player} from './player.ts';

/** The screen that the run is shown on. */
interface Screen {
  readonly shown: () => ShownRun | null;
  readonly show: (run: ShownRun) => void;
  readonly player: Player;
}

/**
 * Shows a live load. Each new state of the run replaces the previous one. Time t follows the load until the user moves
 * t, and follows it again when the user moves t to the end.
 */
export class LiveShow {
  readonly #screen: Screen;
  /** The last t that this object has set, ns. If the player's t differs, the user has moved t. */
  #ledNs: number | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Shows the beginning of a live run. */
  begin(run: ShownRun): void {
    this.#screen.player.pause();
    this.#setEnd(run);
    this.#lead(run);
  }

  /**
   * Shows a newer state of the run on screen. Returns false if the run on screen is another one, or is not a live run
   * under way.
   */
  grow(run: ShownRun): boolean {
    const shown = this.#growing;
    if (shown === null || run.live === undefined || shown.scenario !== run.scenario) return false;
    const {player} = this.#screen;
    const {isPlaying, endNs} = player.state;
    const isLed = !isPlaying && (player.tNs === this.#ledNs || player.tNs >= endNs);
    this.#setEnd(run);
    this.#screen.show(run);
    if (isLed) this.#lead(run);
    return true;
  }

  /** The notes about the run's servers that were not shown yet. */
  newNotes(run: ShownRun): readonly string[] {
    const shown = this.#growing;
    const seen = shown?.scenario === run.scenario ? (shown.live?.notes.length ?? 0) : 0;
    return run.live?.notes.slice(seen) ?? [];
  }

  /** Ends the live run on screen; what was received stays. Returns false if no live run is under way. */
  end(reason: string): boolean {
    const shown = this.#growing;
    if (shown === null) return false;
    const ended = endedRun(shown, reason);
    this.#setEnd(ended);
    this.#screen.show(ended);
    return true;
  }

  get #growing(): ShownRun | null {
    const shown = this.#screen.shown();
    return shown?.live?.isOver === false ? shown : null;
  }

  #setEnd(run: ShownRun): void {
    const {player} = this.#screen;
    if (run.live?.isOver === false) player.setGrowingEnd(endOf(run));
    else player.setEnd(endOf(run));
  }

  /**
   * Moves t to the latest time of the panes that are loading. If no pane is loading, it moves t to the end of a run
   * that is over, and to 0 if the run is not over.
   */
  #lead(run: ShownRun): void {
    const loading = run.traces.filter(isUnderWay).map(({data}) => data.endNs);
    this.#ledNs = loading.length === 0 && run.live?.isOver === true ? endOf(run) : Math.max(0, ...loading);
    void this.#screen.player.seek(this.#ledNs);
  }
}

function endOf({traces}: ShownRun): number {
  return runEndNs(traces);
}
