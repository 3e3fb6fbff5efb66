import {createStore, type StoreApi} from 'zustand/vanilla';
import type {EngineState, Host} from '../../app/host/contract.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {Chosen} from './chosen.ts';
import {Display} from './display.ts';
import {Documents} from './documents.ts';
import type {Extension, FeatureState} from './extension.ts';
import {type Kept, markOf} from './kept.ts';
import {Notices} from './notices.ts';
import {KeptPages} from './pages.ts';
import type {Player} from './player.ts';
import type {MeasureQuality} from './qualities.ts';
import {ScenarioHistory} from './scenarioHistory.ts';
import {Screen} from './screen.ts';
import {firstState, type SessionState} from './state.ts';
import {TraceRuns} from './traceRuns.ts';

/**
 * One window's scenario with its history, the run of it on screen, and the player of that run. Features of the window
 * keep their state here ({@link stateOf}) and hear what happens ({@link extend}); the session knows none of them.
 */
export class Session {
  readonly host: Host;
  readonly store: StoreApi<SessionState>;
  readonly player: Player;
  /** How pages are measured; null if none is. */
  readonly measure: MeasureQuality | null;
  readonly notices: Notices;
  /** The scenario as it is set, with its history. */
  readonly history: ScenarioHistory;
  /** How the window shows the run. */
  readonly display: Display;
  /** The object, the loss and the packet of the run on screen that stand out. */
  readonly chosen: Chosen;
  readonly screen: Screen;
  readonly documents: Documents;
  /** Runs that trace files hold. */
  readonly traces: TraceRuns;
  /** Pages that were opened before. */
  readonly pages: KeptPages;
  readonly #extensions: Extension[] = [];
  readonly #states = new Map<FeatureState<unknown>, unknown>();
  /** Tells which document the host was asked to open last; null until the host has answered. */
  #openedMark: string | null = null;

  constructor(host: Host, player: Player, scenario: Scenario, measure: MeasureQuality | null = null) {
    this.host = host;
    this.player = player;
    this.measure = measure;
    this.store = createStore(() => firstState(scenario));
    const state = {get: this.store.getState, set: this.store.setState};
    const extensions = this.#extensions;
    this.notices = new Notices(state);
    this.chosen = new Chosen(host, player, state);
    this.display = new Display(host, player, state);
    this.history = new ScenarioHistory(state, {
      player,
      load: () => this.screen.load(),
      giveUpOpening: () => this.screen.giveUpOpening(),
      tellsOfFiles: () => this.tellsOfFiles(),
    });
    this.traces = new TraceRuns(host);
    this.pages = new KeptPages(host);
    const {history, display, traces, notices} = this;
    this.screen = new Screen({host, player, state, measure, history, display, traces, notices, extensions});
    this.documents = new Documents({get: state.get, screen: this.screen, history, traces, notices, extensions});
  }

  /** The state that a feature keeps for this session. It is made when it is asked for the first time. */
  stateOf<T>(feature: FeatureState<T>): T {
    if (!this.#states.has(feature)) this.#states.set(feature, feature.create(this));
    return this.#states.get(feature) as T;
  }

  /** From now on the extension hears what happens in this session. */
  extend(extension: Extension): void {
    this.#extensions.push(extension);
  }

  /**
   * Loads what the window was started with and plays it, or what the window had before its page was loaded again.
   * Returns a function that ends the subscriptions.
   */
  async start(kept: Kept | null = null): Promise<() => void> {
    let hasOpened = false;
    const ends = [
      this.host.on('engine', engine => this.#setEngine(engine)),
      this.host.on('opened', document => {
        hasOpened = true;
        this.#openedMark = markOf(document);
        this.documents.open(document);
      }),
    ];
    const answer = await this.host.start();
    const {version, engine, opened} = answer;
    this.store.setState({version});
    // an engine that was restarted before this window was there is ready
    if (engine.state !== 'restarted') this.#setEngine(engine);
    // a document that came meanwhile is newer
    if (!hasOpened) {
      this.#openedMark = markOf(opened);
      if (kept !== null && kept.openedMark === this.#openedMark) this.#resume(kept);
      else if (opened !== null) this.documents.open(opened);
      else this.screen.load();
    }
    for (const {started} of this.#extensions) await started?.(answer);
    this.store.setState({pageNames: await this.host.pageNames()});
    await this.pages.read();
    return () => ends.map(end => end());
  }

  /** What the window would show again after its page was loaded again; null before it shows anything. */
  readonly keep = (): Kept | null => {
    const {opening, wanted} = this.screen;
    // trace files are larger than what a browser keeps
    if (this.#openedMark === null || this.traces.panesOf(wanted) !== undefined) return null;
    const {view} = this.#state;
    const {tNs, zoom} = opening ?? {tNs: this.player.tNs, zoom: view.zoom};
    const {theme, timeline, axis, layout, isFromNow, thresholds, openSections} = view;
    const {desk, presented, speed} = this.display.own;
    const areControlsOpen = this.display.hasControls;
    const shown = {theme, timeline, axis, layout, zoom, isFromNow, thresholds, openSections, areControlsOpen};
    return {openedMark: this.#openedMark, scenario: wanted, tNs, speed, view: {...shown, desk, presented}};
  };

  /** Other losses on the same path. */
  anotherSeed(): void {
    if (this.tellsOfNoSeeds()) return;
    this.history.choose('seed', this.#state.scenario.seed + 1);
  }

  /** Opens or closes a panel that computes other seeds of the scenario on screen. */
  togglePanel(panel: string): void {
    const isOpen = this.#state.view.panel === panel;
    if (!isOpen && this.tellsOfNoSeeds()) return;
    this.display.set({panel: isOpen ? null : panel});
  }

  /** Whether trace files are on screen, whose settings nobody can change; if so, a notice says that. */
  tellsOfFiles(): boolean {
    const isOfFiles = this.traces.panesOf(this.#state.scenario) !== undefined;
    if (isOfFiles) this.notices.tell('These are trace files: what happened stays as it is');
    return isOfFiles;
  }

  /** Whether what is on screen has no other seeds: trace files and live loads have none; if so, a notice says that. */
  tellsOfNoSeeds(): boolean {
    if (this.tellsOfFiles()) return true;
    const isLive = this.#state.scenario.path.live !== undefined;
    if (isLive) this.notices.tell('A live load has no seeds: what is computed needs an emulated path');
    return isLive;
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  /** Shows what the window showed before its page was loaded again. */
  #resume({scenario, tNs, speed, view}: Kept): void {
    this.player.setSpeed(speed);
    this.display.set(view);
    this.screen.open({name: 'the scenario before', scenario, tNs, zoom: view.zoom, isResumed: true});
  }

  #setEngine(engine: EngineState): void {
    this.store.setState({engine});
  }
}
