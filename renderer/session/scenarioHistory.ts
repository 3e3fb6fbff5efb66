import type {Json} from '../../app/base/json.ts';
import type {Problem} from '../../app/base/schema.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {editAll, withoutChange} from './editScenario.ts';
import {addToGesture, type Gesture, settled, withoutNewest} from './gesture.ts';
import type {Player} from './player.ts';
import {keepOrigin} from './presetOrigin.ts';
import type {Slice} from './sessionState.ts';
import type {ViewSettings} from './viewSettings.ts';

/** The current scenario, and its history. */
export interface SettingsState {
  readonly scenario: Scenario;
  readonly past: readonly Scenario[];
  readonly future: readonly Scenario[];
  /**
   * The time from which the newest change of the key that the user is editing ({@link Gesture}) applies, ms; it may be
   * later than the shown time t. Null if no key is being edited, or if the change applies to the whole run.
   */
  readonly setFromMs: number | null;
  /** The key of the last edit, and why the edit was refused. Null if the edit was accepted, and after `endEdit`. */
  readonly refused: {readonly key: string; readonly problem: Problem} | null;
}

type Read = SettingsState & {readonly view: Pick<ViewSettings, 'isFromNow'>};

/** The parts of the session that a step of the history needs. */
interface Others {
  readonly player: Pick<Player, 'tNs'>;
  /** Computes the run of the new scenario. */
  readonly load: () => void;
  /** Gives up a scenario that was opened and is not on screen yet. */
  readonly giveUpOpening: () => void;
  /** Whether settings cannot be changed, because trace files are shown. If so, it also shows a notice. */
  readonly refuseIfTraceFiles: () => boolean;
}

/** Changes the scenario for the controls, in steps that can be undone and redone. */
export class ScenarioHistory {
  readonly #state: Slice<Read, SettingsState>;
  readonly #others: Others;
  #gesture: Gesture | null = null;

  constructor(state: Slice<Read, SettingsState>, others: Others) {
    this.#state = state;
    this.#others = others;
  }

  /**
   * Sets one key, written as in `--set`. Edits of one key up to {@link endEdit} are one step of the history. If edits
   * apply from t on, each edit applies from the t at which it was made ({@link addToGesture}).
   */
  edit(key: string, value: Json): void {
    if (this.#others.refuseIfTraceFiles()) return;
    if (this.#gesture?.key !== key) this.#settle();
    const {scenario, view} = this.#state.get();
    const {tNs} = this.#others.player;
    const before = this.#gesture;
    const {gesture, parsed} = addToGesture(before, {key, value, scenario, tNs, isFromNow: view.isFromNow});
    if (parsed.ok) {
      this.#gesture = gesture;
      this.#others.giveUpOpening();
      this.#push(parsed.scenario, gesture.base, gesture.atMs);
      return;
    }
    const [problem] = parsed.problems;
    if (problem !== undefined) this.#state.set({refused: {key, problem}});
    if (before === null) return;
    this.#gesture = {...before, value: undefined};
    // the first digits of a number were accepted while it was typed; they are undone if the complete text is refused
    this.#goBack(withoutNewest(before, scenario, tNs), before.base);
  }

  /** Ends an edit. If it was refused, the control shows the last accepted value again. */
  endEdit(): void {
    this.#settle();
    this.#state.set({refused: null});
  }

  /** Sets one key as a step of its own. If the value is refused, the reason stays until the next edit. */
  choose(key: string, value: Json): void {
    this.endEdit();
    this.edit(key, value);
    this.#settle();
  }

  /** Sets several keys, one after the other, as one step. If the result is invalid, nothing changes. */
  chooseAll(edits: readonly (readonly [key: string, value: Json])[]): void {
    this.endEdit();
    if (this.#others.refuseIfTraceFiles()) return;
    const {scenario} = this.#state.get();
    const parsed = editAll(scenario, edits);
    if (!parsed.ok) return;
    this.#others.giveUpOpening();
    this.#push(parsed.scenario, scenario);
  }

  /** Replaces the scenario, as one step. */
  chooseScenario(chosen: Scenario): void {
    this.endEdit();
    this.#others.giveUpOpening();
    this.#push(chosen, this.#state.get().scenario);
  }

  removeChange(index: number): void {
    if (this.#others.refuseIfTraceFiles()) return;
    this.#others.giveUpOpening();
    this.endEdit();
    const {scenario} = this.#state.get();
    const parsed = withoutChange(scenario, index);
    if (parsed.ok) this.#push(parsed.scenario, scenario);
  }

  undo(): void {
    this.endEdit();
    const {past, future, scenario} = this.#state.get();
    const previous = past.at(-1);
    if (previous === undefined) return;
    this.#others.giveUpOpening();
    this.#state.set({
      past: past.slice(0, -1),
      future: [scenario, ...future],
      scenario: previous,
      refused: null,
    });
    this.#others.load();
  }

  redo(): void {
    this.endEdit();
    const {past, future, scenario} = this.#state.get();
    const [next, ...rest] = future;
    if (next === undefined) return;
    this.#others.giveUpOpening();
    this.#state.set({past: [...past, scenario], future: rest, scenario: next, refused: null});
    this.#others.load();
  }

  /** Forgets the gesture under way, because its changes are no longer in the scenario. */
  forgetGesture(): void {
    this.#gesture = null;
  }

  #settle(): void {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.#state.set({setFromMs: null});
    const parsed = gesture === null ? undefined : settled(gesture, this.#others.player.tNs);
    if (gesture !== null && parsed?.ok) this.#push(parsed.scenario, gesture.base);
  }

  /**
   * Resets the scenario within the step that began at `base`. If the scenario is `base` itself, this removes the step.
   */
  #goBack(scenario: Scenario, base: Scenario): void {
    const state = this.#state.get();
    if (scenario === state.scenario) return;
    keepOrigin(base, scenario);
    const past = scenario === base ? state.past.slice(0, -1) : state.past;
    this.#state.set({scenario, past, setFromMs: null});
    this.#others.load();
  }

  /**
   * Sets the scenario as one step from `base`. If the last step also began at `base`, this replaces that step's result.
   */
  #push(scenario: Scenario, base: Scenario, setFromMs: number | null = null): void {
    keepOrigin(base, scenario);
    const {past} = this.#state.get();
    const goesOn = past.at(-1) === base;
    this.#state.set({
      scenario,
      setFromMs,
      past: goesOn ? past : withStep(past, base),
      future: [],
      refused: null,
    });
    this.#others.load();
  }
}

/** Adds one step to `past`, and drops the oldest steps if there are too many. */
export function withStep(past: readonly Scenario[], step: Scenario): readonly Scenario[] {
  return [...past, step].slice(-LONGEST_HISTORY);
}

const LONGEST_HISTORY = 500;
