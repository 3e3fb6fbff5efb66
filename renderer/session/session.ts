import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Problem} from '../../app/base/schema.ts';
import {showName} from '../../app/base/text.ts';
import type {EngineState, Host, OpenedDocument, Refusal} from '../../app/host/contract.ts';
import {sameLoss} from '../../app/run/cause/losses.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import type {BundleSource} from '../../app/run/scenario/pageSource.ts';
import {MOST_PANES, type ParsedScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {type FilePane, firstChoice, type TraceFile} from '../../app/run/trace/joinRuns.ts';
import {isOfNoScenario} from '../../app/run/trace/readScenarioFile.ts';
import type {Speed} from '../../app/telling/movie/speed.ts';
import {Adviser} from '../features/advice/adviser.ts';
import {Experiment} from '../features/experiments/experiment.ts';
import {GridRuns} from '../features/experiments/gridRuns.ts';
import {PageOpener} from '../features/opening/pageOpener.ts';
import {pageAddress} from '../features/opening/typedAddress.ts';
import {readOpenedStory} from '../features/story/openedStory.ts';
import {type ResumedStory, type StepOpening, StoryTeller} from '../features/story/storyTeller.ts';
import {Chosen} from './chosen.ts';
import {Display} from './display.ts';
import {editWholeRun} from './edit.ts';
import {type Kept, markOf} from './kept.ts';
import {liveServers, otherServers} from './liveServers.ts';
import {LiveShow} from './liveShow.ts';
import {type LoadResult, Loads, type ShownRun} from './loads.ts';
import {parseFile, parseOpened} from './opened.ts';
import {PathWatch} from './pathWatch.ts';
import type {Player} from './player.ts';
import {type MeasureQuality, Qualities, type QualityState} from './qualities.ts';
import {Recorder} from './recorder.ts';
import {runBefore} from './runBefore.ts';
import {Settings, withStep} from './settings.ts';
import {unalikeOf} from './sources.ts';
import {firstState, type Notice, type SessionState} from './state.ts';
import {addedPanes, happened, readTraces} from './traceFiles.ts';
import {type TracePanes, TraceRuns} from './traceRuns.ts';
import type {ViewSettings} from './view.ts';

/** What both ways to show a run have of their own. */
type Stages = Pick<ViewSettings, 'desk' | 'presented'>;

/** One window's scenario with its history, its run, and what is done with them. */
export class Session {
  readonly store: StoreApi<SessionState>;
  readonly player: Player;
  readonly recorder: Recorder;
  readonly opener: PageOpener;
  /** Many seeds of what is on show: the grid of one cell. */
  readonly seeds: GridRuns;
  readonly experiment: Experiment;
  readonly adviser: Adviser;
  readonly story: StoryTeller;
  /** What is set, with its history. */
  readonly settings: Settings;
  /** How it is shown. */
  readonly display: Display;
  /** What of the run on screen is looked at. */
  readonly chosen: Chosen;
  /** What is on show of trace files. */
  readonly traces: TraceRuns;
  /** What emulated path is on the way to a live server. */
  readonly pathWatch: PathWatch;
  readonly #host: Host;
  readonly #loads: Loads;
  readonly #live: LiveShow;
  readonly #qualities: Qualities;
  /** What was opened and is not on show yet: all that was before stays until its run is there. */
  #opening: Opening | null = null;
  /** Opened, and given up before they were on show. */
  readonly #givenUp = new WeakSet<Scenario>();
  /** With the run that was shown last: what cannot be loaded goes back to it. */
  #shown: Pick<SessionState, 'scenario' | 'past' | 'future'> | null = null;
  /** What the host was asked to open last, as {@link Kept} has it; null until it told. */
  #openedMark: string | null = null;
  /** The scenario that the step began with whose run before is on show. */
  #stepFrom: Scenario | undefined;
  /** Before a story's first step. */
  #untold: {readonly stages: Stages; readonly speed: Speed} | null = null;

  /** `measure` is how pages are measured; without it none is. */
  constructor(host: Host, player: Player, scenario: Scenario, measure: MeasureQuality | null = null) {
    this.#host = host;
    this.player = player;
    this.store = createStore(() => firstState(scenario));
    const state = {get: this.store.getState, set: this.store.setState};
    this.chosen = new Chosen(host, player, state);
    this.display = new Display(host, player, state);
    this.settings = new Settings(state, {
      player,
      load: () => this.load(),
      giveUpOpening: () => this.#giveUpOpening(),
      tellsOfFiles: () => this.tellsOfFiles(),
    });
    this.recorder = new Recorder(host, scenario => happened(this.#state.run, scenario));
    this.pathWatch = new PathWatch(host);
    this.traces = new TraceRuns(host);
    this.opener = new PageOpener(host, page => this.#openPage(page, this.wanted));
    this.seeds = new GridRuns(host);
    this.experiment = new Experiment(host);
    this.adviser = new Adviser(host, measure);
    this.story = new StoryTeller(host, {
      player,
      openStep: step => this.#openStep(step),
      endSteps: () => this.#endSteps(),
      chooseLoss: loss => this.chosen.chooseLoss(loss),
      tell: (title, problems, action) => this.#tell(title, problems, action),
    });
    const prepared = (scenario: Scenario) => this.traces.runOf(scenario) ?? this.story.prepared(scenario);
    this.#loads = new Loads(host, (result, isLast) => this.#show(result, isLast), {prepared});
    const shown = () => this.#state.run;
    this.#live = new LiveShow({player, shown, show: run => this.store.setState({run})});
    this.#qualities = new Qualities(measure, state => this.store.setState(state));
  }

  /**
   * Loads what the window was started with and plays it, or what it had before its page was loaded again. Gives
   * what ends the subscriptions.
   */
  async start(kept: Kept | null = null): Promise<() => void> {
    let hasOpened = false;
    const ends = [
      this.#host.on('engine', engine => this.#setEngine(engine)),
      this.#host.on('opened', document => {
        hasOpened = true;
        this.#openedMark = markOf(document);
        this.openDocument(document);
      }),
    ];
    const drafts = this.story.drafts.read().catch(() => undefined);
    const {version, engine, recording, opened} = await this.#host.start();
    this.store.setState({version});
    await drafts;
    // what was started again before this window was there is ready; what was recorded then is not its own
    if (engine.state !== 'restarted') this.#setEngine(engine);
    if (recording.kind === 'busy') this.recorder.show(recording);
    // what came meanwhile is newer
    if (!hasOpened) {
      this.#openedMark = markOf(opened);
      if (kept !== null && kept.openedMark === this.#openedMark) this.#resume(kept);
      else if (opened !== null) this.openDocument(opened);
      else this.load();
    }
    this.#tellUnread();
    this.store.setState({pageNames: await this.#host.pageNames()});
    await this.opener.readKept();
    return () => ends.map(end => end());
  }

  /** What the window would show again after its page was loaded again; null before it shows anything. */
  readonly keep = (): Kept | null => {
    // trace files are larger than what is kept
    if (this.#openedMark === null || this.traces.panesOf(this.wanted) !== undefined) return null;
    const {scenario, tNs, zoom} = this.#opening ?? {
      ...this.#state,
      ...this.#state.view,
      tNs: this.player.tNs,
    };
    const {theme, timeline, axis, layout, isFromNow, thresholds, openSections} = this.#state.view;
    const {desk, presented} = this.#untold?.stages ?? this.#state.view;
    const kept = {theme, timeline, axis, layout, zoom, isFromNow, thresholds, openSections};
    const view = {...kept, desk, presented};
    return {
      openedMark: this.#openedMark,
      scenario,
      tNs,
      speed: this.#untold?.speed ?? this.player.state.chosenSpeed,
      view: {...view, areControlsOpen: this.display.hasControls},
    };
  };

  /** The story that was told before the page was loaded again; the stage is its step's again. */
  resumeStory(kept: ResumedStory): void {
    const step = kept.story?.steps[kept.step];
    if (step !== undefined) this.display.set(this.#stagesOfStep(step.view.reveal));
    this.story.resume(kept, this.#opening === null ? this.#state.run : null);
  }

  /** What is on show, or will be when its run is there. */
  get wanted(): Scenario {
    return this.#opening?.scenario ?? this.#state.scenario;
  }

  /** Computes the scenario again. */
  load(): void {
    this.#live.end('ended: something else was loaded');
    this.store.setState({isComputing: true});
    this.#loads.request(this.wanted);
  }

  /** After the engine died. */
  retry(): void {
    this.#setEngine({state: 'ready'});
    this.store.setState({notice: null});
    this.load();
  }

  /** Loads the page as it is now and plays it from the start. */
  reload(): void {
    this.#live.end('ended: it was loaded again');
    this.store.setState({isComputing: true});
    this.story.forgetRuns();
    // what happened is not loaded again
    if (this.#isOfFiles) this.#loads.request(this.#state.scenario);
    else this.#loads.requestAnew(this.#state.scenario);
    void this.player.seek(0);
    if (this.#state.scenario.path.live === undefined) this.player.play();
  }

  /** Ends a live load, with all of its sockets; what came stays. False if there is none. */
  stopLive(): boolean {
    if (!this.#live.end('ended by hand')) return false;
    this.#loads.cancel();
    this.store.setState({isComputing: false});
    return true;
  }

  /** Other losses on the same path. */
  anotherSeed(): void {
    if (this.tellsOfNoSeeds()) return;
    this.settings.choose('seed', this.#state.scenario.seed + 1);
  }

  /** A scenario file's or link's text, or a preset's name. What is wrong with it is told; the scenario stays. */
  openDocument(document: OpenedDocument): void {
    const {traces = []} = document;
    if (traces.length > 0) this.openTraces(traces);
    else if (!this.#openStory(document.name, document)) {
      // a page of the web can have a link opened
      const asked = isScenarioLink(document.text) ? liveServers : otherServers;
      this.#openAsked(document.name, parseOpened(document), asked);
    }
  }

  /** A scenario document or a trace file. */
  openFile(name: string, bytes: Uint8Array): void {
    if (this.#openStory(name, bytes)) return;
    if (isOfNoScenario(bytes)) this.openTraces([{name, bytes}]);
    else this.#openAsked(name, parseFile(bytes), otherServers);
  }

  /** Trace files beside each other, as they happened. What is wrong with one is told, and what was on show stays. */
  openTraces(files: readonly TraceFile[]): void {
    const read = readTraces(files);
    if (read.ok) this.#openPanes(files.map(({name}) => name).join(', '), read.panes);
    else this.#tellUnopened(read.message);
  }

  /** Trace files beside the run on show, which stays as it happened. */
  addTraces(files: readonly TraceFile[]): void {
    const {run, scenario} = this.#state;
    const read = readTraces(files);
    if (!read.ok) this.#tellUnopened(read.message);
    else if (run === null) this.openTraces(files);
    else this.showTraces(addedPanes(this.traces.panesOf(scenario), run, read.panes));
  }

  /** Which panes of trace files are shown, in one step. */
  showTraces(panes: TracePanes): void {
    this.settings.chooseScenario(this.traces.stand(panes));
  }

  /** A page that was opened before. */
  openKept(page: BundleSource): void {
    this.opener.cancel();
    this.#openPage(page, this.wanted);
  }

  togglePanel(panel: 'seeds' | 'experiment'): void {
    if (this.#state.view.panel !== panel && this.tellsOfNoSeeds()) return;
    this.display.set({panel: this.#state.view.panel === panel ? null : panel});
  }

  /** Closes what is in front. */
  escape(): void {
    const {view, selected, notice, chosenLoss, chosenPacket} = this.#state;
    if (view.isBlank) this.display.blank(false);
    else if (this.story.store.getState().isMenuOpen) this.story.openMenu(false);
    else if (this.opener.closeMenus()) return;
    else if (view.isHelpOpen) this.display.set({isHelpOpen: false});
    else if (view.isQualityOpen) this.display.set({isQualityOpen: false});
    else if (view.isAdviceOpen) this.display.set({isAdviceOpen: false});
    else if (view.isRecordOpen) this.display.set({isRecordOpen: false});
    else if (notice !== null) this.dismissNotice();
    else if (this.stopLive()) return;
    else if (chosenPacket !== null) this.chosen.choosePacket(null);
    else if (chosenLoss !== null) this.chosen.chooseLoss(null);
    else if (selected !== null) this.chosen.select(null);
    else if (view.panel !== null) this.display.set({panel: null});
    else if (this.story.end()) return;
    else if (view.isPresenting) this.display.present(false);
  }

  /** A notice of one line. */
  tell(title: string): void {
    this.#tell(title, []);
  }

  /** Nothing is compared with the run before, until settings change again. */
  dismissBefore(): void {
    this.store.setState({before: null});
  }

  dismissNotice(): void {
    this.store.setState({notice: null});
  }

  /** Whether trace files are on show, which nobody can set anything of; if so, that is told. */
  tellsOfFiles(): boolean {
    const isOfFiles = this.#isOfFiles;
    if (isOfFiles) this.tell('These are trace files: what happened stays as it is');
    return isOfFiles;
  }

  /** As {@link tellsOfFiles}, of live loads, too, for what takes other seeds. */
  tellsOfNoSeeds(): boolean {
    if (this.tellsOfFiles()) return true;
    const isLive = this.#state.scenario.path.live !== undefined;
    if (isLive) this.tell('A live load has no seeds: what is computed needs an emulated path');
    return isLive;
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  get #isOfFiles(): boolean {
    return this.traces.panesOf(this.#state.scenario) !== undefined;
  }

  #openPanes(name: string, panes: readonly FilePane[]): void {
    this.settings.endEdit();
    this.dismissNotice();
    const shown = firstChoice(panes);
    const scenario = this.traces.stand({all: panes, shown});
    this.#await({name: showName(name, LONGEST_NAME), scenario, tNs: 0, zoom: null, isResumed: false});
    if (shown.length === panes.length) return;
    this.tell(`${panes.length} panes are more than ${MOST_PANES}: the first of each file; others can be chosen`);
  }

  #tellUnopened(message: string): void {
    this.#tell(`${message}; what was on show stays`, []);
    // a window that was started with it still shows something
    if (this.#state.run === null && this.#opening === null) this.load();
  }

  #openAsked(name: string, parsed: ParsedScenario, asked: (scenario: Scenario) => readonly string[]): void {
    this.#whenAsked(name, parsed.ok ? asked(parsed.scenario) : [], () => this.#open(name, parsed));
  }

  /** Servers that somebody else names have this window's requests, and its token, when whoever is at it wants that. */
  #whenAsked(name: string, servers: readonly string[], act: () => void): void {
    if (servers.length === 0) {
      act();
      return;
    }
    const [what, from] = [name, [...new Set(servers)].join(', ')].map(each => showName(each, LONGEST_NAME));
    this.store.setState({
      notice: {title: `${what} loads from ${from}`, lines: [], action: {label: `Load from ${from}`, act}},
    });
    // a window that was started with it still shows something
    if (this.#state.run === null && this.#opening === null) this.load();
  }

  #open(name: string, parsed: ParsedScenario): void {
    const hasRun = this.#state.run !== null;
    if (!parsed.ok) {
      this.#tell(`${name} is not a scenario; ${hasRun ? 'the one before' : 'the demo'} stays`, parsed.problems);
      // a window that was started with it still shows something
      if (!hasRun && this.#opening === null) this.load();
      return;
    }
    this.settings.endEdit();
    this.dismissNotice();
    this.#await({name, scenario: parsed.scenario, tNs: 0, zoom: null, isResumed: false});
  }

  /** A page on the path and in the panes of a scenario. */
  #openPage(page: BundleSource, scenario: Scenario): void {
    this.#open(showName(page.name, LONGEST_NAME), editWholeRun(scenario, 'page', {...page}));
  }

  /** False if it is not meant as a story. What is wrong with one is told. */
  #openStory(name: string, opened: OpenedDocument | Uint8Array): boolean {
    const read = readOpenedStory(opened);
    if (read === null) return false;
    if (read.ok) {
      const {story} = read;
      const servers = story.steps.flatMap(({scenario}) => otherServers(scenario));
      this.#whenAsked(name, servers, () => {
        this.dismissNotice();
        this.story.open(story);
      });
      return true;
    }
    this.#tell(`${name} is not a story; what was on show stays`, read.problems);
    if (this.#state.run === null && this.#opening === null) this.load();
    return true;
  }

  #openStep({name, scenario, fromNs, view: {zoom, ...others}, isUpToT, onShown}: StepOpening): void {
    this.settings.endEdit();
    const view = {...others, ...this.#stagesOfStep(isUpToT)};
    this.#await({name, scenario, tNs: fromNs, zoom, isResumed: true, view, onShown});
  }

  #stagesOfStep(isUpToT: boolean): Stages {
    const {desk, presented} = this.#state.view;
    this.#untold ??= {stages: {desk, presented}, speed: this.player.state.chosenSpeed};
    return {desk: {...desk, isUpToT}, presented: {...presented, isUpToT}};
  }

  #endSteps(): void {
    if (this.#untold === null) return;
    this.display.set(this.#untold.stages);
    this.player.setSpeed(this.#untold.speed);
    this.#untold = null;
  }

  /** As it was before the page was loaded again. */
  #resume({scenario, tNs, speed, view}: Kept): void {
    this.player.setSpeed(speed);
    this.display.set(view);
    this.#await({name: 'the scenario before', scenario, tNs, zoom: view.zoom, isResumed: true});
  }

  /** Nothing of it is on show before all of it is. */
  #await(opening: Opening): void {
    this.#giveUpOpening();
    this.#opening = opening;
    this.load();
  }

  /** Of what is asked for in a row the last holds. */
  #giveUpOpening(): void {
    if (this.#opening !== null) this.#givenUp.add(this.#opening.scenario);
    this.#opening = null;
  }

  #show(result: LoadResult, isLast: boolean): void {
    this.store.setState({isComputing: !isLast});
    if (!result.ok) {
      this.#live.end(result.message);
      if (isLast) this.#handleRefusal(result);
      return;
    }
    const {run} = result;
    if (this.#givenUp.has(run.scenario)) return;
    const [note, ...lines] = this.#live.newNotes(run);
    if (note !== undefined) this.store.setState({notice: {title: note, lines}});
    if (this.#live.grow(run)) return;
    const {run: before} = this.#state;
    const isFirst = before === null;
    const {page} = run;
    void this.opener.lookInto(run.scenario.page);
    // of a page that was opened the header tells it
    const isTold = run.scenario.page.kind === 'bundle';
    if (page.leftOut.length > 0 && page.hash !== before?.page.hash && !isTold) {
      this.store.setState({
        notice: {title: `Not all of the page ${showName(page.name, 200)} is loaded`, lines: page.leftOut},
      });
    }
    const endNs = Math.max(...run.traces.map(trace => trace.data.endNs));
    this.player.setEnd(endNs);
    const opening = this.#opening;
    // with the run: nobody sees it beside another page's
    const quality = unalikeOf(run).page ? this.#qualities.none() : this.#qualities.of(page, this.#state);
    const {chosenLoss} = this.#state;
    const isKept = chosenLoss !== null && before !== null;
    const kept = isKept ? sameLoss(before.traces, run.traces, chosenLoss) : null;
    if (opening?.scenario === run.scenario) this.#showOpened(opening, run, quality);
    else {
      const newer = {chosenLoss: kept, chosenPacket: null};
      this.store.setState({run, before: this.#runBefore(run), ...quality, ...newer});
    }
    const {scenario, past, future, view} = this.#state;
    if (scenario === run.scenario) this.#shown = {scenario, past, future};
    if (view.zoom !== null && view.zoom[0] >= endNs) this.display.set({zoom: null});
    if (run.live !== undefined) this.#live.begin(run);
    else if (isFirst && opening?.isResumed !== true) this.player.play();
  }

  #runBefore(run: ShownRun): ShownRun | null {
    const {run: shown, before, past} = this.#state;
    const from = past.at(-1);
    const isSameStep = from === this.#stepFrom;
    this.#stepFrom = from;
    return runBefore({run, shown, before, isSameStep});
  }

  /** The scenario, its run, and what else is of it, at once. */
  #showOpened({scenario, tNs, zoom, view: others, onShown}: Opening, run: ShownRun, quality: QualityState): void {
    const {past, scenario: before, run: runBefore, view} = this.#state;
    this.#opening = null;
    this.player.pause();
    this.store.setState({
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
      // what was never on show is nothing to go back to
      past: runBefore === null || before === scenario ? past : withStep(past, before),
      view: {...view, ...others, zoom},
    });
    void this.player.seek(tNs);
    if (onShown === undefined) this.story.resumeRun(run);
    else onShown(run);
  }

  /** What cannot be loaded leaves all as it was; the engine's own fault leaves it to be tried again. */
  #handleRefusal({message, problems}: Refusal): void {
    const {engine, run} = this.#state;
    // what the engine died of is told already
    if (engine.state !== 'ready' && engine.message === message) return;
    const opening = this.#opening;
    const what = opening === null ? '' : `${opening.name} cannot be opened: `;
    this.#tell(`${what}${message}`, problems);
    if (engine.state === 'failed') return;
    if (opening !== null) this.#offerToFetch(opening.scenario);
    this.#giveUpOpening();
    this.settings.letGo();
    if (opening === null && this.#shown !== null) this.store.setState({...this.#shown, setFromMs: null});
    // a window that was started with it still shows something
    if (opening !== null && run === null) this.load();
  }

  /** A page that is not kept here, or no longer, may still be where it came from. */
  #offerToFetch(scenario: Scenario): void {
    const address = pageAddress(scenario.page);
    const {notice} = this.#state;
    if (address === null || notice === null || this.traces.panesOf(scenario) !== undefined) return;
    const act = () => {
      this.dismissNotice();
      this.opener.openAddress(address, page => this.#openFetched(page, scenario));
    };
    const label = `Fetch ${showName(address, LONGEST_NAME)}`;
    this.store.setState({notice: {...notice, action: {label, act}}});
  }

  /** In place of a page that was not kept, which may have been another then. */
  #openFetched(page: BundleSource, scenario: Scenario): void {
    const wanted = scenario.page;
    this.#openPage(page, scenario);
    if (wanted.kind === 'bundle' && wanted.bundle !== page.bundle)
      this.tell(`${showName(page.name, LONGEST_NAME)} is not what it was: the scenario was made with another`);
  }

  /** What of the stories that were kept cannot be read; what was opened goes before it. */
  #tellUnread(): void {
    const {unread} = this.story.drafts.store.getState();
    if (unread.length === 0 || this.#state.notice !== null) return;
    const stories = unread.length === 1 ? '1 story' : `${unread.length} stories`;
    const title = `${stories} written here cannot be read; what was kept stays as it is`;
    this.store.setState({notice: {title, lines: fewLines(unread.map(({message}) => message))}});
  }

  #setEngine(engine: EngineState): void {
    this.store.setState({engine});
  }

  #tell(title: string, problems: readonly Problem[], action?: Notice['action']): void {
    const lines = fewLines(problems.map(({message}) => message));
    if (action === undefined) this.store.setState({notice: {title, lines}});
    else {
      const act = () => {
        this.dismissNotice();
        action.act();
      };
      this.store.setState({notice: {title, lines, action: {...action, act}}});
    }
  }
}

/** A scenario that was asked for, and how it is shown once its run is there. */
interface Opening {
  readonly name: string;
  readonly scenario: Scenario;
  readonly tNs: number;
  readonly zoom: ViewSettings['zoom'];
  /** It was on show before: it does not begin to play. */
  readonly isResumed: boolean;
  /** What else of the view is of it. */
  readonly view?: Partial<ViewSettings>;
  /** When it is on show. */
  readonly onShown?: (run: ShownRun) => void;
}

/** Characters of a page's name in a notice. */
const LONGEST_NAME = 80;

function fewLines(all: readonly string[]): readonly string[] {
  const lines = all.slice(0, MOST_LINES);
  const more = all.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

/** More than anybody mends at once; a file can have a million problems. */
const MOST_LINES = 8;
