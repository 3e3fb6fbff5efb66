import {endedRun, isUnderWay} from './liveRun.ts';
import type {ShownRun} from './loads.ts';
import type {Player} from './player.ts';

/** What a window shows, and is shown. */
interface Screen {
  readonly shown: () => ShownRun | null;
  readonly show: (run: ShownRun) => void;
  readonly player: Player;
}

/**
 * A live load on show: each new piece takes the place of the one before, and t goes along with the clock until a hand
 * takes it; brought to the end, it goes along again.
 */
export class LiveShow {
  readonly #screen: Screen;
  /** Where t was led last. */
  #ledNs: number | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** A live run that has just come on show. */
  begin(run: ShownRun): void {
    this.#screen.player.pause();
    this.#setEnd(run);
    this.#lead(run);
  }

  /** More of the run on show; false if it is another. */
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

  /** What is told of its servers, and was not yet. */
  newNotes(run: ShownRun): readonly string[] {
    const shown = this.#growing;
    const told = shown?.scenario === run.scenario ? (shown.live?.notes.length ?? 0) : 0;
    return run.live?.notes.slice(told) ?? [];
  }

  /** Nothing more will come of the run on show: what came stays. False if it is over, or not live. */
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

  /** To now, of the pane that loads; when all is over, to the end. */
  #lead(run: ShownRun): void {
    const loading = run.traces.filter(isUnderWay).map(({data}) => data.endNs);
    this.#ledNs = loading.length === 0 && run.live?.isOver === true ? endOf(run) : Math.max(0, ...loading);
    void this.#screen.player.seek(this.#ledNs);
  }
}

function endOf({traces}: ShownRun): number {
  return Math.max(...traces.map(({data}) => data.endNs));
}
