import {createStore, type StoreApi} from 'zustand/vanilla';
import type {EngineState, Host, OpenedDocument} from '../../app/ipc/contract.ts';
import type {Json} from '../../app/scenario/document.ts';
import type {ParsedScenario, Scenario} from '../../app/scenario/scenario.ts';
import type {Problem} from '../../app/scenario/schema.ts';
import type {Hovered} from '../hovered.ts';
import type {Player} from '../player.ts';
import {Recorder} from '../record/recorder.ts';
import {canChangeOnTheWay, editFromNow, editWholeRun} from './edit.ts';
import {type LoadResult, Loads, type ShownRun} from './loads.ts';
import {readScenario, readScenarioFile} from './opened.ts';
import {FIRST_VIEW, type ViewSettings} from './view.ts';

/** What the window shows besides t: changes at human speed. */
export interface SessionState {
  readonly scenario: Scenario;
  readonly past: readonly Scenario[];
  readonly future: readonly Scenario[];
  /** The run on screen; it may be older than `scenario` while `isComputing`. */
  readonly run: ShownRun | null;
  readonly isComputing: boolean;
  readonly engine: EngineState;
  readonly pageNames: readonly string[];
  /** What went wrong last, until it is dismissed. */
  readonly notice: Notice | null;
  /** Why the last edit was not taken, and of which key. */
  readonly refused: {readonly key: string; readonly message: string} | null;
  readonly view: ViewSettings;
  readonly hovered: Hovered;
  readonly selected: number | null;
}

export interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
}

/** One window's scenario with its history, its run, and what is done with them. */
export class Session {
  readonly store: StoreApi<SessionState>;
  readonly player: Player;
  readonly recorder: Recorder;
  readonly #host: Host;
  readonly #loads: Loads;
  #gesture: {readonly key: string; readonly base: Scenario; readonly atMs: number} | null = null;
  /** Before presenter mode. */
  #hadControls = true;

  constructor(host: Host, player: Player, scenario: Scenario) {
    this.#host = host;
    this.player = player;
    this.recorder = new Recorder(host);
    this.#loads = new Loads(host, (result, isLast) => this.#show(result, isLast));
    this.store = createStore(() => ({
      scenario,
      past: [],
      future: [],
      run: null,
      isComputing: false,
      engine: {state: 'ready'},
      pageNames: [],
      notice: null,
      refused: null,
      view: FIRST_VIEW,
      hovered: new Set(),
      selected: null,
    }));
  }

  /** Loads what the window was started with, and plays it. Gives what ends the subscriptions. */
  async start(): Promise<() => void> {
    let hasOpened = false;
    const ends = [
      this.#host.on('engine', engine => this.#setEngine(engine)),
      this.#host.on('opened', document => {
        hasOpened = true;
        this.openDocument(document);
      }),
    ];
    const start = await this.#host.start();
    this.#setEngine(start.engine);
    this.recorder.show(start.recording);
    // what came meanwhile is newer
    if (!hasOpened && start.opened !== null) this.openDocument(start.opened);
    else if (!hasOpened) this.load();
    this.store.setState({pageNames: await this.#host.pageNames()});
    return () => ends.map(end => end());
  }

  /** Computes the scenario again. */
  load(): void {
    this.store.setState({isComputing: true});
    this.#loads.request(this.#state.scenario);
  }

  /** After the engine died. */
  retry(): void {
    this.#setEngine({state: 'ready'});
    this.store.setState({notice: null});
    this.load();
  }

  /** Computes the scenario again and plays it from the start. */
  reload(): void {
    this.load();
    void this.player.seek(0);
    this.player.play();
  }

  /**
   * Sets one key, written as `--set` writes it. Edits of one key up to {@link endEdit} are one step of the
   * history, and one change at the time of the first.
   */
  edit(key: string, value: Json): void {
    const {scenario, view} = this.#state;
    if (this.#gesture?.key !== key) {
      this.#gesture = {key, base: scenario, atMs: Math.round(this.player.tNs / 1e6)};
    }
    const {base, atMs} = this.#gesture;
    const fromNow = view.isFromNow && canChangeOnTheWay(key) && atMs > 0;
    this.#take(fromNow ? editFromNow(base, key, value, atMs) : editWholeRun(base, key, value), key, base);
  }

  /** The hand is off the control, which shows again what was taken last. */
  endEdit(): void {
    this.#gesture = null;
    this.store.setState({refused: null});
  }

  /** Sets one key in one step; why it was refused stays until the next edit. */
  choose(key: string, value: Json): void {
    this.endEdit();
    this.edit(key, value);
    this.#gesture = null;
  }

  /** Other losses on the same path. */
  anotherSeed(): void {
    this.choose('seed', this.#state.scenario.seed + 1);
  }

  removeChange(index: number): void {
    const {scenario} = this.#state;
    this.endEdit();
    this.#push({...scenario, changes: scenario.changes.filter((_, at) => at !== index)}, scenario);
  }

  undo(): void {
    const {past, future, scenario} = this.#state;
    const previous = past.at(-1);
    if (previous === undefined) return;
    this.endEdit();
    this.store.setState({
      past: past.slice(0, -1),
      future: [scenario, ...future],
      scenario: previous,
      refused: null,
    });
    this.load();
  }

  redo(): void {
    const {past, future, scenario} = this.#state;
    const [next, ...rest] = future;
    if (next === undefined) return;
    this.endEdit();
    this.store.setState({past: [...past, scenario], future: rest, scenario: next, refused: null});
    this.load();
  }

  /** A scenario file's or link's text, or a preset's name. What is wrong with it is told; the scenario stays. */
  openDocument({name, text}: OpenedDocument): void {
    this.#open(name, readScenario(text));
  }

  /** A scenario document or a trace file. */
  openFile(name: string, bytes: Uint8Array): void {
    this.#open(name, readScenarioFile(bytes));
  }

  setView(change: Partial<ViewSettings>): void {
    this.store.setState({view: {...this.#state.view, ...change}});
  }

  toggleLayout(): void {
    this.setView({layout: this.#state.view.layout === 'stacked' ? 'overlaid' : 'stacked'});
  }

  toggleTheme(): void {
    this.setView({theme: this.#state.view.theme === 'dark' ? 'light' : 'dark'});
  }

  toggleFromNow(): void {
    this.setView({isFromNow: !this.#state.view.isFromNow});
  }

  toggleControls(): void {
    this.setView({areControlsOpen: !this.#state.view.areControlsOpen});
  }

  /** Full screen, large type, no controls; or back. */
  present(isPresenting: boolean): void {
    const {view} = this.#state;
    // leaving full screen tells of it again
    if (isPresenting === view.isPresenting) return;
    if (isPresenting) this.#hadControls = view.areControlsOpen;
    this.setView({isPresenting, areControlsOpen: !isPresenting && this.#hadControls});
    void this.#host.setFullScreen(isPresenting).then(isDone => {
      if (!isDone) setPageFullScreen(isPresenting);
    });
  }

  /** Closes what is in front. */
  escape(): void {
    const {view, selected, notice} = this.#state;
    if (view.isHelpOpen) this.setView({isHelpOpen: false});
    else if (view.isRecordOpen) this.setView({isRecordOpen: false});
    else if (notice !== null) this.dismissNotice();
    else if (selected !== null) this.select(null);
    else if (view.isPresenting) this.present(false);
  }

  /** These objects stand out from the others; none, and all look alike. */
  readonly hover = (objects: readonly number[]): void => {
    const hovered = new Set(objects);
    const before = this.#state.hovered;
    // a pointer moves far more often than it comes to another object
    if (hovered.size !== before.size || objects.some(each => !before.has(each)))
      this.store.setState({hovered});
  };

  readonly select = (selected: number | null): void => {
    this.store.setState({selected});
  };

  dismissNotice(): void {
    this.store.setState({notice: null});
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  #open(name: string, parsed: ParsedScenario): void {
    if (!parsed.ok) {
      this.#tell(`${name} is not a scenario; the one before stays`, parsed.problems);
      // a window that was started with it still shows something
      if (this.#state.run === null) this.load();
      return;
    }
    this.endEdit();
    // both are the run before's
    this.store.setState({notice: null, selected: null});
    this.setView({zoom: null});
    this.#push(parsed.scenario, this.#state.scenario);
    this.player.pause();
    void this.player.seek(0);
  }

  #take(parsed: ParsedScenario, key: string, base: Scenario): void {
    if (parsed.ok) {
      this.#push(parsed.scenario, base);
      return;
    }
    this.store.setState({refused: {key, message: parsed.problems[0]?.message ?? 'not valid'}});
    const {scenario, past} = this.#state;
    if (scenario === base) return;
    // half of a number that is refused as a whole was never meant
    this.store.setState({scenario: base, past: past.slice(0, -1)});
    this.load();
  }

  /** The scenario after one step from `base`; a step that goes on replaces its own last state. */
  #push(scenario: Scenario, base: Scenario): void {
    const {past} = this.#state;
    const goesOn = past.at(-1) === base;
    this.store.setState({
      scenario,
      past: goesOn ? past : [...past, base].slice(-LONGEST_HISTORY),
      future: [],
      refused: null,
    });
    this.load();
  }

  #show(result: LoadResult, isLast: boolean): void {
    this.store.setState({isComputing: !isLast});
    if (!result.ok) {
      const {engine} = this.#state;
      // what the engine died of is told already
      const isTold = engine.state !== 'ready' && engine.message === result.message;
      if (isLast && !isTold) this.#tell(result.message, result.problems);
      return;
    }
    const isFirst = this.#state.run === null;
    this.store.setState({run: result.run});
    const endNs = Math.max(...result.run.traces.map(trace => trace.data.endNs));
    this.player.setEnd(endNs);
    const {zoom} = this.#state.view;
    if (zoom !== null && zoom[0] >= endNs) this.setView({zoom: null});
    if (isFirst) this.player.play();
  }

  #setEngine(engine: EngineState): void {
    this.store.setState({engine});
  }

  #tell(title: string, problems: readonly Problem[]): void {
    this.store.setState({
      notice: {title, lines: problems.map(problem => problem.message)},
    });
  }
}

const LONGEST_HISTORY = 500;

/** A browser may refuse: presenter mode is of use without it. */
function setPageFullScreen(isFull: boolean): void {
  if (isFull) void document.documentElement.requestFullscreen().catch(() => undefined);
  else if (document.fullscreenElement !== null) void document.exitFullscreen();
}
