import {createStore, type StoreApi} from 'zustand/vanilla';
import type {EngineState, Host} from '../../app/host/contract.ts';
import {freezesOf} from '../../app/run/cause/held.ts';
import {isComputedPath} from '../../app/run/scenario/capturedPath.ts';
import type {ParsedScenario, Scenario} from '../../app/run/scenario/scenario.ts';
import {Display} from './display.ts';
import {Documents} from './documents.ts';
import type {Extension, FeatureState} from './extension.ts';
import {Highlights} from './highlights.ts';
import {type Kept, markOf} from './keptOverReload.ts';
import {readLast, rememberWindow} from './lastScenario.ts';
import {Notices} from './notices.ts';
import {KeptPages} from './pages.ts';
import type {Player} from './player.ts';
import type {MeasureQuality} from './qualities.ts';
import {Remembered} from './remembered.ts';
import {RunOnScreen} from './runOnScreen.ts';
import {ScenarioHistory} from './scenarioHistory.ts';
import {firstState, type SessionState} from './sessionState.ts';
import {TraceRuns} from './traceRuns.ts';
import {stageOf} from './viewSettings.ts';
import {WhatIf} from './whatIf.ts';

/**
 * One window's scenario with its history, the scenario's run on screen, and the player of that run. Features of the
 * window store their state here ({@link stateOf}) and are called when something changes ({@link extend}). The session
 * refers to no feature.
 */
export class Session {
  readonly host: Host;
  readonly store: StoreApi<SessionState>;
  readonly player: Player;
  /** The function that measures pages; null if pages are not measured. */
  readonly measure: MeasureQuality | null;
  readonly notices: Notices;
  /** The current scenario, with its history. */
  readonly history: ScenarioHistory;
  /** Changes how the window shows the run. */
  readonly display: Display;
  /** Chooses which object, which loss and which packet of the run on screen are highlighted. */
  readonly highlights: Highlights;
  readonly screen: RunOnScreen;
  readonly documents: Documents;
  /** The runs of trace files. */
  readonly traces: TraceRuns;
  /** The pages that were opened before. */
  readonly pages: KeptPages;
  /** What the window still knows when the program is started again. */
  readonly remembered: Remembered;
  /** Drops single packets, or delivers them. */
  readonly whatIf: WhatIf;
  readonly #extensions: Extension[] = [];
  readonly #states = new Map<FeatureState<unknown>, unknown>();
  /** Identifies the last document that the host was asked to open; null until the host has answered. */
  #openedMark: string | null = null;

  constructor(host: Host, player: Player, scenario: Scenario, measure: MeasureQuality | null = null) {
    this.host = host;
    this.player = player;
    this.measure = measure;
    this.store = createStore(() => firstState(scenario));
    const state = {get: this.store.getState, set: this.store.setState};
    const extensions = this.#extensions;
    this.notices = new Notices(state);
    this.highlights = new Highlights(host, player, state, this.notices);
    this.display = new Display(player, state);
    this.history = new ScenarioHistory(state, {
      player,
      load: () => this.screen.load(),
      giveUpOpening: () => this.screen.giveUpOpening(),
      refuseIfTraceFiles: () => this.refuseIfTraceFiles(),
    });
    this.traces = new TraceRuns(host);
    this.pages = new KeptPages(host);
    this.remembered = new Remembered(host);
    const {history, display, traces, notices} = this;
    this.whatIf = new WhatIf({get: state.get, history, traces, notices});
    this.screen = new RunOnScreen({host, player, state, measure, history, display, traces, notices, extensions});
    let hadFreezes = false;
    this.store.subscribe((now, before) => {
      // while a story is shown, its steps alone decide where playing stops
      const hasFreezes = stageOf(now.view).freezesAtLosses && now.story === null;
      if (now.run === before.run && hasFreezes === hadFreezes) return;
      hadFreezes = hasFreezes;
      player.setFreezes(hasFreezes ? freezesOf(now.run?.traces ?? []) : []);
    });
    this.documents = new Documents({get: state.get, screen: this.screen, history, traces, notices, extensions});
  }

  /** The state that a feature keeps for this session. The first call creates it. */
  stateOf<T>(feature: FeatureState<T>): T {
    if (!this.#states.has(feature)) this.#states.set(feature, feature.create(this));
    return this.#states.get(feature) as T;
  }

  /** Adds an extension. From now on the session calls its functions. */
  extend(extension: Extension): void {
    this.#extensions.push(extension);
  }

  /**
   * Shows the document that the window was started with, or, after a reload of the window's page, what the window
   * showed before. If there is neither, this shows what a feature wants to show first ({@link Extension.first}), the
   * scenario that the last window showed, or the scenario of the constructor.
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
    const {version, engine, opened, remembered, linkAddress = null} = answer;
    this.store.setState({version, linkAddress});
    this.remembered.fill(remembered);
    const last = readLast(this.remembered);
    this.display.set(last.view);
    ends.push(rememberWindow(this));
    // if the engine restarted before this window opened, it is ready now
    if (engine.state !== 'restarted') this.#setEngine(engine);
    // a document that was opened while the host was answering is newer
    if (!hasOpened) {
      const mark = markOf(opened);
      if (kept !== null && kept.openedMark === mark) this.#resume(kept);
      else if (opened !== null) this.documents.open(opened);
      else this.#openFirst(last.scenario);
      // until now `keep` returned null, because the scenario was still that of the constructor
      this.#openedMark = mark;
    }
    for (const {started} of this.#extensions) await started?.(answer);
    this.store.setState({pageNames: await this.host.pageNames()});
    await this.pages.read();
    return () => ends.map(end => end());
  }

  /** What the window needs to show the same after a reload of its page. Null if this cannot be stored. */
  readonly keep = (): Kept | null => {
    const {opening, wanted} = this.screen;
    // trace files are too large for the browser's storage, and what is shown aside is not the user's own
    if (this.#openedMark === null || this.traces.panesOf(wanted) !== undefined || this.screen.isAside(wanted))
      return null;
    const {view} = this.#state;
    const {tNs, zoom} = opening ?? {tNs: this.player.tNs, zoom: view.zoom};
    const {theme, timeline, axis, layout, isFromNow, thresholds, openSections} = view;
    const {paneShare, foldedPanes, isDrawerHigh} = view;
    const {desk, presented, speed} = this.display.userSettings;
    const areControlsOpen = this.display.hasControls;
    const shown = {theme, timeline, axis, layout, zoom, isFromNow, thresholds, openSections, areControlsOpen};
    const sizes = {paneShare, foldedPanes, isDrawerHigh};
    return {openedMark: this.#openedMark, scenario: wanted, tNs, speed, view: {...shown, ...sizes, desk, presented}};
  };

  /** Sets the next seed. The path stays, and other packets are lost. */
  anotherSeed(): void {
    if (this.refuseIfNoSeeds()) return;
    this.history.choose('seed', this.#state.scenario.seed + 1);
  }

  /** Opens or closes a panel that computes more loads of the scenario on screen, such as those of other seeds. */
  togglePanel(panel: string): void {
    const isOpen = this.#state.view.panel === panel;
    if (!isOpen && this.refuseIfNoSeeds()) return;
    this.display.set({panel: isOpen ? null : panel});
  }

  /** Whether trace files are on screen, whose settings cannot be changed. If so, this also shows a notice. */
  refuseIfTraceFiles(): boolean {
    const isOfFiles = this.traces.panesOf(this.#state.scenario) !== undefined;
    if (isOfFiles) this.notices.showMessage('These are trace files, whose settings cannot be changed');
    return isOfFiles;
  }

  /**
   * Whether the run on screen has no other seeds, because it comes from trace files, or is a live or captured load. If
   * so, this also shows a notice.
   */
  refuseIfNoSeeds(): boolean {
    if (this.refuseIfTraceFiles()) return true;
    const hasNoSeeds = !isComputedPath(this.#state.scenario.path);
    if (hasNoSeeds)
      this.notices.showMessage('A live or captured load has no seeds, because it cannot be computed again');
    return hasNoSeeds;
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  /** Shows what the window showed before its page was reloaded. */
  #resume({scenario, tNs, speed, view}: Kept): void {
    this.player.setSpeed(speed);
    this.display.set(view);
    this.screen.open({name: 'the scenario before', scenario, tNs, zoom: view.zoom, isResumed: true});
  }

  /** Shows what an extension wants to show first, or otherwise the scenario that the last window showed. */
  #openFirst(last: ParsedScenario | null): void {
    for (const {first} of this.#extensions) {
      const opening = first?.();
      if (opening === undefined) continue;
      this.screen.open(opening);
      return;
    }
    this.#openLast(last);
  }

  /** Shows the scenario that the last window showed. If it is not valid any more, a notice says why. */
  #openLast(parsed: ParsedScenario | null): void {
    if (parsed?.ok) {
      const {scenario} = parsed;
      this.screen.open({name: 'the last scenario', scenario, tNs: 0, zoom: null, isResumed: false, plays: true});
      return;
    }
    if (parsed !== null) {
      this.notices.showMessage('The last scenario cannot be opened; the demo is shown instead', parsed.problems);
    }
    this.screen.load();
  }

  #setEngine(engine: EngineState): void {
    this.store.setState({engine});
  }
}
