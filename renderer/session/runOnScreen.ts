import {showName} from '../../app/base/text.ts';
import type {Host, Refusal} from '../../app/host/contract.ts';
import {sameLoss} from '../../app/run/cause/losses.ts';
import {samePacket} from '../../app/run/packets/panePacket.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {firstSeenNs} from '../../app/run/trace/firstSeen.ts';
import {runEndNs} from '../../app/run/trace/trace.ts';
import type {Display} from './display.ts';
import type {Extension} from './extension.ts';
import {LiveShow} from './liveShow.ts';
import {type LoadResult, Loads, type ShownRun} from './loads.ts';
import type {Notices} from './notices.ts';
import type {Player} from './player.ts';
import {type MeasureQuality, Qualities, type QualityState} from './qualities.ts';
import {runBefore} from './runBefore.ts';
import {type ScenarioHistory, withStep} from './scenarioHistory.ts';
import type {SessionState, Slice} from './sessionState.ts';
import {unalikeOf} from './sources.ts';
import type {TraceRuns} from './traceRuns.ts';
import type {ViewSettings} from './viewSettings.ts';

/** A scenario to open, and how to show it when its run is loaded. */
export interface Opening {
  /** The scenario's name in messages. */
  readonly name: string;
  readonly scenario: Scenario;
  readonly tNs: number;
  readonly zoom: ViewSettings['zoom'];
  /**
   * Whether the run does not begin to play by itself, even if it is the first one on screen. Set for the scenario that
   * was on screen before the window was reloaded, and for the steps of a story.
   */
  readonly isResumed: boolean;
  /**
   * Whether the run plays as soon as it is on screen, from the first time at which a part of the page may be seen
   * ({@link firstSeenNs}). In presenter mode it does not play by itself: the speaker says first what will be seen. A
   * live load does not play either, because the shown time t follows the load.
   */
  readonly plays?: boolean;
  /**
   * Whether the scenario is not the user's own, for example behind the start screen. Undo does not lead to it, and the
   * next window does not open with it.
   */
  readonly isAside?: boolean;
  /** More settings of the view. They are set together with the scenario. */
  readonly view?: Partial<ViewSettings>;
  /** Called instead of {@link Extension.opened} when the scenario is on screen. */
  readonly onShown?: (run: ShownRun) => void;
}

/** The parts of a session that the screen needs. */
interface Parts {
  readonly host: Host;
  readonly player: Player;
  readonly state: Slice<SessionState>;
  readonly measure: MeasureQuality | null;
  readonly history: Pick<ScenarioHistory, 'endEdit' | 'forgetGesture'>;
  readonly display: Pick<Display, 'set'>;
  readonly traces: Pick<TraceRuns, 'runOf' | 'panesOf'>;
  readonly notices: Notices;
  readonly extensions: readonly Extension[];
}

/** Loads and shows the run on screen. If the next run cannot be loaded, the previous one stays. */
export class RunOnScreen {
  readonly #parts: Parts;
  readonly #loads: Loads;
  readonly #live: LiveShow;
  readonly #qualities: Qualities;
  /** The scenario that was opened and is not on screen yet, because its run is not loaded. */
  #opening: Opening | null = null;
  /** The scenarios whose opening was given up before they were shown. */
  readonly #givenUp = new WeakSet<Scenario>();
  readonly #aside = new WeakSet<Scenario>();
  /**
   * The scenario of the run that was shown last, and its history. They are restored if another scenario cannot be
   * loaded.
   */
  #shown: Pick<SessionState, 'scenario' | 'past' | 'future'> | null = null;
  /** The scenario before the last step of the history. Its run is kept for comparison during that step. */
  #stepFrom: Scenario | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const {host, player, state, measure, traces, extensions} = parts;
    const prepared = (scenario: Scenario) => {
      const own = traces.runOf(scenario);
      if (own !== undefined) return own;
      for (const extension of extensions) {
        const ahead = extension.prepared?.(scenario);
        if (ahead !== undefined) return ahead;
      }
      return undefined;
    };
    this.#loads = new Loads(host, (result, isLast) => this.#show(result, isLast), {prepared});
    this.#live = new LiveShow({player, shown: () => this.#state.run, show: run => state.set({run})});
    this.#qualities = new Qualities(measure, change => state.set(change));
  }

  /** The scenario that was opened and is not on screen yet; null if there is none. */
  get opening(): Opening | null {
    return this.#opening;
  }

  /** The scenario that is being opened, or if there is none, the current one. */
  get wanted(): Scenario {
    return this.#opening?.scenario ?? this.#state.scenario;
  }

  /** Opens a scenario. The previous one stays on screen until the run of the new one is loaded. */
  open(opening: Opening): void {
    this.#parts.history.endEdit();
    this.giveUpOpening();
    this.#opening = opening;
    if (opening.isAside === true) this.#aside.add(opening.scenario);
    this.load();
  }

  /** Whether the scenario was opened with {@link Opening.isAside}. */
  isAside(scenario: Scenario): boolean {
    return this.#aside.has(scenario);
  }

  /** Gives up the scenario that is being opened, for example because the user opens another one. */
  giveUpOpening(): void {
    if (this.#opening !== null) this.#givenUp.add(this.#opening.scenario);
    this.#opening = null;
  }

  /** Loads the run of {@link wanted}. */
  load(): void {
    this.#live.end('ended: something else was loaded');
    this.#parts.state.set({isComputing: true});
    this.#loads.request(this.wanted);
  }

  /** Loads the session's first scenario if nothing is on screen and nothing is being opened. */
  loadIfEmpty(): void {
    if (this.#state.run === null && this.#opening === null) this.load();
  }

  /** Computes the run again after the engine died. */
  retry(): void {
    this.#parts.state.set({engine: {state: 'ready'}});
    this.#parts.notices.dismiss();
    this.load();
  }

  /**
   * Opens the page again, loads it, and plays the run from the start. A live load does not play, because t follows it.
   * The runs of trace files are only played again.
   */
  reload(): void {
    const {player, state, traces, extensions} = this.#parts;
    const {scenario} = this.#state;
    this.#live.end('ended: it was loaded again');
    state.set({isComputing: true});
    for (const {reloads} of extensions) reloads?.();
    // the runs of trace files are recordings, which are not computed again
    if (traces.panesOf(scenario) !== undefined) this.#loads.request(scenario);
    else this.#loads.requestAnew(scenario);
    void player.seek(0);
    if (scenario.path.live === undefined) player.play();
  }

  /** Ends a live load and closes its sockets; what was received stays. Returns false if there is no live load. */
  stopLive(): boolean {
    if (!this.#live.end('ended by the user')) return false;
    this.#loads.cancel();
    this.#parts.state.set({isComputing: false});
    return true;
  }

  /** Ends the comparison with the previous run until settings change again. */
  dismissBefore(): void {
    this.#parts.state.set({before: null});
  }

  get #state(): SessionState {
    return this.#parts.state.get();
  }

  #show(result: LoadResult, isLast: boolean): void {
    const {state, player, notices, display} = this.#parts;
    state.set({isComputing: !isLast});
    if (!result.ok) {
      this.#live.end(result.message);
      if (isLast) this.#handleRefusal(result);
      return;
    }
    const {run} = result;
    if (this.#givenUp.has(run.scenario)) return;
    const [note, ...lines] = this.#live.newNotes(run);
    if (note !== undefined) notices.show({title: note, lines});
    if (this.#live.grow(run)) return;
    const {run: before} = this.#state;
    const isFirst = before === null;
    const {page} = run;
    // for a page that the user opened, the header already says what is left out
    const isInHeader = run.scenario.page.kind === 'bundle';
    if (page.leftOut.length > 0 && page.hash !== before?.page.hash && !isInHeader)
      notices.show({title: `Some parts of the page “${showName(page.name, 200)}” are not loaded`, lines: page.leftOut});
    const endNs = runEndNs(run.traces);
    player.setEnd(endNs);
    const opening = this.#opening;
    // set together with the run, so that the quality of one page is never shown with another
    const quality = unalikeOf(run).page ? this.#qualities.none() : this.#qualities.of(page, this.#state);
    const {chosenLoss, chosenPacket} = this.#state;
    const isKept = chosenLoss !== null && before !== null;
    const kept = isKept ? sameLoss(before.traces, run.traces, chosenLoss) : null;
    if (opening?.scenario === run.scenario) this.#showOpened(opening, run, quality);
    else {
      const newer = {chosenLoss: kept, chosenPacket: samePacket(before?.traces ?? [], run.traces, chosenPacket)};
      state.set({run, before: this.#runBefore(run), ...quality, ...newer});
    }
    const {scenario, past, future, view} = this.#state;
    if (scenario === run.scenario) this.#shown = {scenario, past, future};
    if (view.zoom !== null && view.zoom[0] >= endNs) display.set({zoom: null});
    if (run.live !== undefined) this.#live.begin(run);
    else if (isFirst && opening?.isResumed !== true) this.#playFromFirstSeen(run);
  }

  /** Plays the run from the first time at which a part of its page may be seen ({@link firstSeenNs}). */
  #playFromFirstSeen(run: ShownRun): void {
    const {player} = this.#parts;
    if (player.state.isPlaying) return;
    void player.seek(firstSeenNs(run.traces));
    player.play();
  }

  #runBefore(run: ShownRun): ShownRun | null {
    const {run: shown, before, past} = this.#state;
    const from = past.at(-1);
    const isSameStep = from === this.#stepFrom;
    this.#stepFrom = from;
    return runBefore({run, shown, before, isSameStep});
  }

  /** Sets the scenario, its run, and the settings of the opening in one change of the state. */
  #showOpened(
    {scenario, tNs, zoom, plays, view: others, onShown}: Opening,
    run: ShownRun,
    quality: QualityState,
  ): void {
    const {state, player, extensions} = this.#parts;
    const {past, scenario: before, run: shown, view} = this.#state;
    const isAside = this.isAside(before) || this.isAside(scenario);
    this.#opening = null;
    player.pause();
    state.set({
      scenario,
      run,
      quality: quality.quality,
      qualityProgress: quality.qualityProgress,
      before: null,
      selected: null,
      refused: null,
      future: [],
      chosenLoss: null,
      chosenPacket: null,
      // undo does not lead to a scenario that was never on screen or is not the user's own
      past: shown === null || before === scenario || isAside ? past : withStep(past, before),
      view: {...view, ...others, zoom},
    });
    void player.seek(tNs);
    if (plays === true && run.live === undefined && !view.isPresenting) this.#playFromFirstSeen(run);
    if (onShown !== undefined) onShown(run);
    else for (const {opened} of extensions) opened?.(run);
  }

  /**
   * Says why a scenario cannot be loaded, and restores what was shown before. After an error of the engine nothing is
   * restored, because the user can try the load again.
   */
  #handleRefusal({message, problems}: Refusal): void {
    const {state, history, notices} = this.#parts;
    const {engine, run} = this.#state;
    // the engine's own notice says this already
    if (engine.state !== 'ready' && engine.message === message) return;
    const opening = this.#opening;
    const what = opening === null ? '' : `${opening.name} cannot be opened: `;
    notices.showMessage(`${what}${message}`, problems);
    if (engine.state === 'failed') return;
    if (opening !== null) this.#offerRemedy(opening.scenario);
    this.giveUpOpening();
    history.forgetGesture();
    if (opening === null && this.#shown !== null) state.set({...this.#shown, setFromMs: null});
    // if the window was started with this scenario, nothing is on screen yet, so the demo is loaded
    if (opening !== null && run === null) this.load();
  }

  #offerRemedy(scenario: Scenario): void {
    const {traces, extensions, notices} = this.#parts;
    if (traces.panesOf(scenario) !== undefined) return;
    for (const {remedy} of extensions) {
      const action = remedy?.(scenario);
      if (action !== undefined) notices.offer(action);
    }
  }
}
