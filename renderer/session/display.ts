import {AXES} from '../../app/telling/movie/options.ts';
import type {Speed} from '../../app/telling/movie/speed.ts';
import type {Player} from './player.ts';
import type {Slice} from './sessionState.ts';
import {type StageSettings, stageOf, type ViewSettings} from './viewSettings.ts';

/** The settings of the stage (the panes and the timeline) outside of presenter mode, and in presenter mode. */
type Stages = Pick<ViewSettings, 'desk' | 'presented'>;

/** Changes how the window shows its run: which parts are open, the settings of the stage, presenter mode. */
export class Display {
  readonly #player: Player;
  readonly #state: Slice<{readonly view: ViewSettings}>;
  /**
   * The time to which the run was to play ({@link Player.untilNs}) when the screen turned black, ns. When the run is
   * shown again, it plays on to this time. Null if it was not playing.
   */
  #blankedUntilNs: number | null = null;
  /** Whether the controls were open before presenter mode. */
  #hadControls = true;
  /** The user's own settings, which are kept while a story's step replaces them; null if no step replaces them. */
  #replaced: (Stages & {readonly speed: Speed}) | null = null;

  constructor(player: Player, state: Slice<{readonly view: ViewSettings}>) {
    this.#player = player;
    this.#state = state;
  }

  /** Whether the controls are open or, in presenter mode, whether they will be open when presenter mode ends. */
  get hasControls(): boolean {
    const {isPresenting, areControlsOpen} = this.#view;
    return isPresenting ? this.#hadControls : areControlsOpen;
  }

  set(change: Partial<ViewSettings>): void {
    // an open panel would hide the timeline that the user has just chosen
    const panel = change.timeline === undefined ? this.#view.panel : null;
    this.#state.set({view: {...this.#view, panel, ...change}});
  }

  /** The stage settings and the speed that the user chose, even while a story's step replaces them. */
  get userSettings(): Stages & {readonly speed: Speed} {
    const {desk, presented} = this.#view;
    return this.#replaced ?? {desk, presented, speed: this.#player.state.chosenSpeed};
  }

  /**
   * Returns the stage settings for a story's step, and keeps the user's own settings, which {@link restoreUserSettings}
   * restores.
   */
  replaceForStep(ofStep: Pick<StageSettings, 'isUpToT' | 'freezesAtLosses'>): Stages {
    this.#replaced ??= this.userSettings;
    const {desk, presented} = this.#view;
    return {desk: {...desk, ...ofStep}, presented: {...presented, ...ofStep}};
  }

  /** Restores the settings and the speed that the user had before {@link replaceForStep}. */
  restoreUserSettings(): void {
    if (this.#replaced === null) return;
    const {speed, ...stages} = this.#replaced;
    this.set(stages);
    this.#player.setSpeed(speed);
    this.#replaced = null;
  }

  openDialog(dialog: string): void {
    this.set({dialog});
  }

  /** Closes this dialog if it is open. Another dialog stays open. */
  closeDialog(dialog: string): void {
    if (this.#view.dialog === dialog) this.set({dialog: null});
  }

  /** Toggles a setting of the stage in the current mode: in presenter mode or outside of it. */
  toggleStage(setting: keyof StageSettings): void {
    const view = this.#view;
    const stage = {...stageOf(view), [setting]: !stageOf(view)[setting]};
    this.set(view.isPresenting ? {presented: stage} : {desk: stage});
  }

  /** Toggles {@link StageSettings.freezesAtLosses}, to the same value in presenter mode and outside of it. */
  toggleFreezes(): void {
    const {desk, presented} = this.#view;
    const freezesAtLosses = !stageOf(this.#view).freezesAtLosses;
    this.set({desk: {...desk, freezesAtLosses}, presented: {...presented, freezesAtLosses}});
  }

  /** Turns the screen of presenter mode black, or shows the run again. The run plays on if it was playing before. */
  blank(isBlank: boolean): void {
    const view = this.#view;
    if (isBlank === view.isBlank || (isBlank && !view.isPresenting)) return;
    const {state, untilNs} = this.#player;
    if (isBlank) this.#blankedUntilNs = state.isPlaying ? untilNs : null;
    this.set({isBlank});
    if (isBlank) this.#player.pause();
    else if (this.#blankedUntilNs !== null) this.#player.play(this.#blankedUntilNs);
  }

  toggleLayout(): void {
    this.set({layout: this.#view.layout === 'stacked' ? 'overlaid' : 'stacked'});
  }

  /** Folds the graph of a pane in the timeline, or unfolds it. */
  toggleFolded(pane: number): void {
    const {foldedPanes} = this.#view;
    const others = foldedPanes.filter(each => each !== pane);
    this.set({foldedPanes: others.length < foldedPanes.length ? others : [...others, pane]});
  }

  /** Folds the graphs of all panes. If any graph is folded already, this unfolds all graphs. */
  toggleAllFolded(panes: number): void {
    this.set({foldedPanes: this.#view.foldedPanes.length > 0 ? [] : Array.from({length: panes}, (_, pane) => pane)});
  }

  /** Shows the percent view with its next axis: bytes, scans, then visual progress, then bytes again. */
  nextAxis(): void {
    const next = AXES.indexOf(this.#view.axis) + 1;
    this.set({timeline: 'percent', axis: AXES[next % AXES.length] ?? AXES[0]});
  }

  toggleTheme(): void {
    this.set({theme: this.#view.theme === 'dark' ? 'light' : 'dark'});
  }

  toggleFromNow(): void {
    this.set({isFromNow: !this.#view.isFromNow});
  }

  toggleControls(): void {
    this.set({areControlsOpen: !this.#view.areControlsOpen});
  }

  /** Enters presenter mode (large type, no controls), or leaves it. In presenter mode the window is in full screen. */
  present(isPresenting: boolean): void {
    const view = this.#view;
    if (isPresenting === view.isPresenting) return;
    if (isPresenting) this.#hadControls = view.areControlsOpen;
    this.set({isPresenting, isBlank: false, areControlsOpen: !isPresenting && this.#hadControls});
  }

  get #view(): ViewSettings {
    return this.#state.get().view;
  }
}
