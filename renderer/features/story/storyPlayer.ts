import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Problem} from '../../../app/base/schema.ts';
import type {Host} from '../../../app/host/contract.ts';
import {lossNumbered, type PaneLoss} from '../../../app/run/cause/losses.ts';
import {differences} from '../../../app/run/scenario/differences.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {
  highlightedObjects,
  type StepSpan,
  spanOfStep,
  stepDurationS,
  stepHoldNs,
  stepProblem,
} from '../../../app/telling/story/stepTimes.ts';
import type {Step, Story} from '../../../app/telling/story/story.ts';
import {stepRunOf} from '../../movie/stepRun.ts';
import {type Hovered, NONE_HOVERED} from '../../session/hovered.ts';
import {Loads, type ShownRun} from '../../session/loads.ts';
import type {Notice} from '../../session/notices.ts';
import type {Player} from '../../session/player.ts';
import type {StageSettings, ViewSettings} from '../../session/viewSettings.ts';
import {type DraftPlace, Drafts} from './drafts.ts';

/** The state of the open story. */
export interface StoryPlayerState {
  readonly story: Story | null;
  /** The index of the step on screen. */
  readonly step: number;
  /** The wall-clock time at which the story was opened, ms since 1970. */
  readonly startedMs: number;
  /** Whether the step's run is on screen. Until it is loaded, the run of the previous step stays there. */
  readonly isShown: boolean;
  /**
   * Whether the story plays by itself: each step plays, stays long enough for its text to be read, and the next one
   * begins. The story stops playing by itself at its end, and when the user intervenes, for example pauses, or goes to
   * another time or step.
   */
  readonly playsByItself: boolean;
  /** The objects that the step highlights. */
  readonly highlighted: Hovered;
  /** Whether the panel in which the story is written is open. */
  readonly isPanelOpen: boolean;
  /** The earlier states of the story, for undo; oldest first. */
  readonly past: readonly Story[];
  /** The states that were undone, for redo; the next one first. */
  readonly future: readonly Story[];
  /** The id of the story's draft; null until something is written. */
  readonly draft: string | null;
}

/** The part of the story's state that is stored for a reload of the window's page. */
export interface ResumedStory extends Pick<StoryPlayerState, 'story' | 'step' | 'startedMs' | 'draft' | 'isPanelOpen'> {
  readonly place: DraftPlace;
}

/** How the window is to show a step. */
export interface StepOpening {
  readonly name: string;
  readonly scenario: Scenario;
  readonly fromNs: number;
  readonly view: Pick<ViewSettings, 'timeline' | 'axis' | 'layout' | 'zoom'>;
  readonly stage: Pick<StageSettings, 'isUpToT' | 'freezesAtLosses'>;
  /** Called when the step's run is on screen. */
  readonly onShown: (run: ShownRun) => void;
}

/** How a story is opened. */
interface StoryOpening {
  /** The id of the story's draft ({@link Drafts}); null if the story has none. */
  readonly draft?: string | null;
  readonly playsByItself?: boolean;
}

interface Writing {
  readonly step?: number;
  readonly writing?: string;
}

export interface StoryWindow {
  readonly player: Player;
  openStep(opening: StepOpening): void;
  /** Restores the display settings and the speed that the user had before the first step. */
  endSteps(): void;
  openMenu(): void;
  closeMenu(): void;
  /** Whether the user wants reduced motion. */
  isCalm(): boolean;
  /** Explains what a loss did; null ends the explanation. */
  chooseLoss(loss: PaneLoss | null): void;
  showMessage(title: string, problems: readonly Problem[], action?: Notice['action']): void;
}

/** Shows a story in the window, step by step, and stores what the user writes. */
export class StoryPlayer {
  readonly store: StoreApi<StoryPlayerState> = createStore(() => NOTHING);
  readonly drafts: Drafts;
  readonly #window: StoryWindow;
  readonly #ahead: Loads;
  /**
   * The runs of the step on screen and of the steps next to it. A promise resolves with undefined if its run cannot be
   * computed, or is no longer needed.
   */
  readonly #runs = new Map<Scenario, Promise<ShownRun | undefined>>();
  /** Resolves the promise of the run that is currently computed in advance. */
  #isThere: (run: ShownRun | undefined) => void = () => undefined;
  /** The field that the user types into. Consecutive input into the same field is one change. */
  #writing = '';
  /**
   * The timer that goes on to the next step of a story that plays by itself. It runs while the last picture of a step
   * is shown.
   */
  #hold: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, window: StoryWindow) {
    this.#window = window;
    window.player.onState(() => this.#follow());
    window.player.onTime(() => this.#follow());
    this.drafts = new Drafts(host, {
      showMessage: (title, action) => window.showMessage(title, [], action),
      rename: (from, to) => {
        if (this.store.getState().draft === from) this.store.setState({draft: to});
      },
    });
    this.#ahead = new Loads(host, (result, isLast) => {
      if (isLast) this.#isThere(result.ok ? result.run : undefined);
    });
  }

  /** The run of a scenario if it was or is computed in advance for a step, otherwise undefined. */
  readonly prepared = (scenario: Scenario): Promise<ShownRun | undefined> | undefined => this.#runs.get(scenario);

  /** Forgets the runs that were computed in advance, because their page may have changed. */
  forgetRuns(): void {
    this.#runs.clear();
    this.#ahead.forgetPage();
  }

  /** Shows a story from its first step on. */
  open(story: Story, {draft = null, playsByItself = false}: StoryOpening = {}): void {
    if (draft !== null) this.drafts.take(draft);
    this.#window.closeMenu();
    this.#endHold();
    this.store.setState({
      ...NOTHING,
      story,
      startedMs: Date.now(),
      draft,
      playsByItself,
      isPanelOpen: draft !== null && !playsByItself,
    });
    this.go(0);
  }

  /**
   * Lets the story play by itself. A step that is not finished continues. After a finished step, the next step begins,
   * or if it was the last one, the first step.
   */
  playByItself(): void {
    const {story, step} = this.store.getState();
    if (story === null) return;
    const {player} = this.#window;
    const span = this.#spanOnScreen();
    this.store.setState({playsByItself: true});
    if (span === null || player.state.isPlaying) return;
    if (player.tNs >= span.toNs) this.go(step + 1 < story.steps.length ? step + 1 : 0);
    else this.#play(span);
  }

  /**
   * Gives a story that plays by itself to the user: the run is paused, and no other step begins by itself. Returns
   * false if no story plays by itself.
   */
  takeOver(): boolean {
    if (!this.store.getState().playsByItself) return false;
    this.#endPlayingByItself();
    if (this.#window.player.state.isPlaying) this.#window.player.pause();
    return true;
  }

  /** Begins to write a new story. Its first step shows what is on screen. */
  begin(story: Story): void {
    const draft = crypto.randomUUID();
    this.#window.closeMenu();
    this.#endHold();
    this.store.setState({...NOTHING, story, startedMs: Date.now(), draft, isShown: true, isPanelOpen: true});
    this.drafts.keep(draft, story);
  }

  /** Continues the story after a reload of the window's page. `run` is the run that is already on screen. */
  resume({place, ...kept}: ResumedStory, run: ShownRun | null): void {
    this.store.setState({...NOTHING, ...kept});
    const {story, draft} = kept;
    if (story !== null && draft !== null) this.drafts.resume(draft, story, place);
    if (run !== null) this.resumeRun(run);
  }

  /** Called when a run is on screen that no step has opened, for example after a reload of the window's page. */
  resumeRun(run: ShownRun): void {
    const {story, step: k} = this.store.getState();
    const step = story?.steps[k];
    if (story === null || step === undefined) return;
    this.store.setState({isShown: true});
    if (differences(step.scenario, run.scenario).length > 0) return;
    this.#direct(step, run);
    this.#prepare(story, k, run);
  }

  /**
   * Goes forwards: plays a step that waits at its start, jumps to the end of a step that has begun, and leaves a step
   * that is at its end. So a step that plays is finished by one press and left by the next. Returns false if there is
   * no story.
   */
  next(): boolean {
    const {story, step} = this.store.getState();
    if (story === null) return false;
    this.#endPlayingByItself();
    const {player} = this.#window;
    const span = this.#spanOnScreen();
    if (span !== null && player.state.isPlaying) player.finish();
    else if (span !== null && player.tNs < span.toNs) {
      if (player.tNs > span.fromNs) void player.seek(span.toNs);
      else player.play();
    } else if (step + 1 < story.steps.length) this.go(step + 1);
    return true;
  }

  /**
   * Goes backwards: a step that plays goes back to its start and waits there; otherwise the previous step is played, or
   * the first one again. Returns false if there is no story.
   */
  back(): boolean {
    const {story, step} = this.store.getState();
    if (story === null) return false;
    this.#endPlayingByItself();
    const {player} = this.#window;
    const span = this.#spanOnScreen();
    if (span !== null && player.state.isPlaying) {
      player.pause();
      void player.seek(span.fromNs);
    } else this.go(Math.max(step - 1, 0));
    return true;
  }

  /** Shows the step with the index k, and plays it from its start to its end. */
  go(k: number): void {
    const {story} = this.store.getState();
    const step = story?.steps[k];
    if (story === null || step === undefined) return;
    this.#endHold();
    this.store.setState({step: k, isShown: false});
    const {player} = this.#window;
    if (player.state.isPlaying) player.pause();
    const {zoomS, reveal, waiting, ...view} = step.view;
    const zoom = zoomS === null ? null : ([zoomS[0] * 1e9, zoomS[1] * 1e9] as const);
    this.#window.openStep({
      name: `step ${k + 1}`,
      scenario: step.scenario,
      fromNs: step.fromS * 1e9,
      view: {...view, zoom},
      stage: {isUpToT: reveal, freezesAtLosses: waiting},
      onShown: run => {
        const problem = stepProblem(story, k, stepRunOf(run));
        if (problem !== null) this.#window.showMessage(`Step ${k + 1} cannot be shown`, [problem]);
        this.#direct(step, run);
        const span = spanOfStep(step, player.state.endNs);
        if (this.store.getState().playsByItself) this.#play(span);
        else if (hasToPlay(span)) player.play();
        this.#prepare(story, k, run);
      },
    });
  }

  /** Ends the story. The run stays on screen. Returns false if there was no story. */
  end(): boolean {
    const {story, step} = this.store.getState();
    if (story === null) return false;
    this.#endPlayingByItself();
    this.#window.player.setStop(null);
    this.#window.endSteps();
    // if the step explains no loss, the user has chosen the loss that is explained, and its explanation stays
    if (story.steps[step]?.loss != null) this.#window.chooseLoss(null);
    this.#runs.clear();
    this.store.setState({...NOTHING});
    return true;
  }

  openMenu(): void {
    this.#window.openMenu();
    // another window may have changed drafts meanwhile
    void this.drafts.read().catch(() => undefined);
  }

  togglePanel(): void {
    const {story, isPanelOpen} = this.store.getState();
    this.takeOver();
    if (story === null) this.openMenu();
    else this.store.setState({isPanelOpen: !isPanelOpen});
  }

  /**
   * Replaces the state of the story that is being written. Without `step`, the same step stays on screen even if its
   * index changes. Consecutive input into the field `writing` is one change.
   */
  write(story: Story, {step = this.#placeIn(story), writing = ''}: Writing = {}): void {
    const {story: before, past, draft} = this.store.getState();
    if (story === before) return;
    this.takeOver();
    const goesOn = writing !== '' && writing === this.#writing;
    this.#writing = writing;
    const id = draft ?? crypto.randomUUID();
    this.store.setState({
      story,
      step,
      future: [],
      draft: id,
      past: goesOn || before === null ? past : [...past, before].slice(-LONGEST_HISTORY),
    });
    this.drafts.keep(id, story);
  }

  undo(): void {
    const {story, past, future} = this.store.getState();
    const [previous] = past.slice(-1);
    if (story === null || previous === undefined) return;
    this.#writing = '';
    this.#put(previous, past.slice(0, -1), [story, ...future]);
  }

  redo(): void {
    const {story, past, future} = this.store.getState();
    const [next, ...rest] = future;
    if (story === null || next === undefined) return;
    this.#writing = '';
    this.#put(next, [...past, story], rest);
  }

  /**
   * The index that the step on screen has in a new state of the story. If the step is not in the new state, its old
   * index is returned, or the index of the last step if there are fewer steps.
   */
  #placeIn({steps}: Story): number {
    const {story, step} = this.store.getState();
    const shown = story?.steps[step];
    const place = shown === undefined ? -1 : steps.indexOf(shown);
    return place < 0 ? Math.min(step, steps.length - 1) : place;
  }

  #put(story: Story, past: readonly Story[], future: readonly Story[]): void {
    const {draft} = this.store.getState();
    this.store.setState({story, past, future, step: this.#placeIn(story)});
    if (draft !== null) this.drafts.keep(draft, story);
  }

  /** Sets the speed and the end of a step, the objects that it highlights, and the loss that it explains. */
  #direct(step: Step, run: ShownRun): void {
    const {player} = this.#window;
    player.setSpeed(step.speed);
    const {endNs, urls} = stepRunOf(run);
    // a step without an end plays to the end of the run, which may become longer when the user changes the run
    player.setStop(step.toS === null ? null : spanOfStep(step, endNs).toNs);
    this.#window.chooseLoss(step.loss === null ? null : lossNumbered(run.traces, step.loss));
    const objects = highlightedObjects(step, urls);
    this.store.setState({isShown: true, highlighted: objects.length === 0 ? NONE_HOVERED : new Set(objects)});
  }

  /**
   * Plays the step of a story that plays by itself. With reduced motion, or if there is nothing to play, only the step's
   * last picture is shown.
   */
  #play(span: StepSpan): void {
    const {player} = this.#window;
    if (this.#window.isCalm() || !hasToPlay(span)) void player.seek(span.toNs);
    else player.play();
  }

  /**
   * Called when the player's state or time changes. In a story that plays by itself, starts the timer when the step has
   * ended. If the user has played, paused or moved t, the story no longer plays by itself.
   */
  #follow(): void {
    const {story, step: k, isShown, playsByItself} = this.store.getState();
    const step = story?.steps[k];
    const span = this.#spanOnScreen();
    if (!playsByItself || !isShown || step === undefined || span === null) return;
    const {isPlaying, endNs} = this.#window.player.state;
    const isAtEnd = this.#window.player.tNs === span.toNs;
    if (isPlaying) {
      // a finished step does not start again by itself, so the user has begun to play
      if (this.#hold !== undefined) this.#endPlayingByItself();
    } else if (!isAtEnd) this.#endPlayingByItself();
    else if (this.#hold === undefined) {
      const holdMs = this.#window.isCalm() ? 1000 * stepDurationS(step, endNs) : stepHoldNs(step, endNs) / 1e6;
      this.#hold = setTimeout(() => this.#goOn(), holdMs);
    }
  }

  /** Goes on to the next step of a story that plays by itself, after there was time to read the current step. */
  #goOn(): void {
    const {story, step} = this.store.getState();
    if (story !== null && step + 1 < story.steps.length) this.go(step + 1);
    else this.#endPlayingByItself();
  }

  #endPlayingByItself(): void {
    this.#endHold();
    if (this.store.getState().playsByItself) this.store.setState({playsByItself: false});
  }

  #endHold(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
  }

  /** The span of the step on screen; null while its run is not on screen. */
  #spanOnScreen(): StepSpan | null {
    const {story, step, isShown} = this.store.getState();
    const shown = story?.steps[step];
    return shown === undefined || !isShown ? null : spanOfStep(shown, this.#window.player.state.endNs);
  }

  /** Computes the run of the next step in advance, so that a presenter does not have to wait for it. */
  #prepare({steps}: Story, k: number, run: ShownRun): void {
    const near = new Set(steps.slice(Math.max(k - 1, 0), k + 2).map(({scenario}) => scenario));
    for (const scenario of this.#runs.keys()) if (!near.has(scenario)) this.#runs.delete(scenario);
    this.#runs.set(run.scenario, Promise.resolve(run));
    const next = steps[k + 1]?.scenario;
    if (next === undefined || this.#runs.has(next)) return;
    // the run that was being computed for another step is no longer needed
    this.#isThere(undefined);
    this.#runs.set(
      next,
      new Promise(resolve => {
        this.#isThere = resolve;
      }),
    );
    this.#ahead.request(next);
  }
}

/**
 * Whether a step has something to play. A step that begins at or after the end of its run does not, and
 * {@link Player.play} would play the run from its start.
 */
function hasToPlay({fromNs, toNs}: StepSpan): boolean {
  return fromNs < toNs;
}

const NOTHING: StoryPlayerState = {
  story: null,
  step: 0,
  startedMs: 0,
  isShown: false,
  playsByItself: false,
  highlighted: NONE_HOVERED,
  isPanelOpen: false,
  past: [],
  future: [],
  draft: null,
};

const LONGEST_HISTORY = 200;
