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
 * A live load on screen. Each new piece of the run replaces the one before. t follows the clock until the user moves
 * it, and again when the user moves it to the end.
 */
export class LiveShow {
  readonly #screen: Screen;
  /** The t that was set here last. */
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

  /** Shows more of the run on screen; false if it is another run. */
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

  /** The notes on its servers that were not shown yet. */
  newNotes(run: ShownRun): readonly string[] {
    const shown = this.#growing;
    const told = shown?.scenario === run.scenario ? (shown.live?.notes.length ?? 0) : 0;
    return run.live?.notes.slice(told) ?? [];
  }

  /** Ends the run on screen. What came of it stays. False if it has ended already, or is not live. */
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

  /** Moves t to the present of the pane that loads, or to the end if all panes are done. */
  #lead(run: ShownRun): void {
    const loading = run.traces.filter(isUnderWay).map(({data}) => data.endNs);
    this.#ledNs = loading.length === 0 && run.live?.isOver === true ? endOf(run) : Math.max(0, ...loading);
    void this.#screen.player.seek(this.#ledNs);
  }
}

function endOf({traces}: ShownRun): number {
  return Math.max(...traces.map(({data}) => data.endNs));
}
