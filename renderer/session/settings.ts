import type {Json} from '../../app/base/json.ts';
import type {Problem} from '../../app/base/schema.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {editAll, withoutChange} from './edit.ts';
import {type Gesture, goOn, settled, withoutNewest} from './gesture.ts';
import type {Player} from './player.ts';
import type {Slice} from './state.ts';
import type {ViewSettings} from './view.ts';

/** What is set, and was before. */
export interface SettingsState {
  readonly scenario: Scenario;
  readonly past: readonly Scenario[];
  readonly future: readonly Scenario[];
  /** From when on the newest change of the hand on a control holds, ms; t may not be there yet. Null without. */
  readonly setFromMs: number | null;
  /** Why the last edit was not taken, and of which key. */
  readonly refused: {readonly key: string; readonly problem: Problem} | null;
}

type Read = SettingsState & {readonly view: Pick<ViewSettings, 'isFromNow'>};

/** What else a step of the history does. */
interface Others {
  readonly player: Pick<Player, 'tNs'>;
  /** Computes the scenario that was set. */
  readonly load: () => void;
  /** What was asked for before, and is not on show yet, is not wanted any more. */
  readonly giveUpOpening: () => void;
  /** Whether nobody can set anything; if so, that is told. */
  readonly tellsOfFiles: () => boolean;
}

/** The scenario as hands on controls set it, in steps that are undone and done again. */
export class Settings {
  readonly #state: Slice<Read, SettingsState>;
  readonly #others: Others;
  #gesture: Gesture | null = null;

  constructor(state: Slice<Read, SettingsState>, others: Others) {
    this.#state = state;
    this.#others = others;
  }

  /**
   * Sets one key, written as `--set` writes it. Edits of one key up to {@link endEdit} are one step of the
   * history; from t on, each holds from the t at which it was made ({@link goOn}).
   */
  edit(key: string, value: Json): void {
    if (this.#others.tellsOfFiles()) return;
    if (this.#gesture?.key !== key) this.#settle();
    const {scenario, view} = this.#state.get();
    const {tNs} = this.#others.player;
    const before = this.#gesture;
    const {gesture, parsed} = goOn(before, {key, value, scenario, tNs, isFromNow: view.isFromNow});
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
    // half of a number that is refused as a whole was never meant
    this.#goBack(withoutNewest(before, scenario, tNs), before.base);
  }

  /** The hand is off the control, which shows again what was taken last. */
  endEdit(): void {
    this.#settle();
    this.#state.set({refused: null});
  }

  /** Sets one key in one step; why it was refused stays until the next edit. */
  choose(key: string, value: Json): void {
    this.endEdit();
    this.edit(key, value);
    this.#settle();
  }

  /** Sets several keys, one after the other, in one step. */
  chooseAll(edits: readonly (readonly [key: string, value: Json])[]): void {
    this.endEdit();
    if (this.#others.tellsOfFiles()) return;
    const {scenario} = this.#state.get();
    const parsed = editAll(scenario, edits);
    if (!parsed.ok) return;
    this.#others.giveUpOpening();
    this.#push(parsed.scenario, scenario);
  }

  /** Another scenario, in one step. */
  chooseScenario(chosen: Scenario): void {
    this.endEdit();
    this.#others.giveUpOpening();
    this.#push(chosen, this.#state.get().scenario);
  }

  removeChange(index: number): void {
    if (this.#others.tellsOfFiles()) return;
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

  /** The hand is off, and nothing of what it did is there any more. */
  letGo(): void {
    this.#gesture = null;
  }

  #settle(): void {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.#state.set({setFromMs: null});
    const parsed = gesture === null ? undefined : settled(gesture, this.#others.player.tNs);
    if (gesture !== null && parsed?.ok) this.#push(parsed.scenario, gesture.base);
  }

  /** What of a step from `base` was not meant is taken back. */
  #goBack(scenario: Scenario, base: Scenario): void {
    const state = this.#state.get();
    if (scenario === state.scenario) return;
    const past = scenario === base ? state.past.slice(0, -1) : state.past;
    this.#state.set({scenario, past, setFromMs: null});
    this.#others.load();
  }

  /** The scenario after one step from `base`; a step that goes on replaces its own last state. */
  #push(scenario: Scenario, base: Scenario, setFromMs: number | null = null): void {
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

/** `past` with one more step, of which the oldest are forgotten. */
export function withStep(past: readonly Scenario[], step: Scenario): readonly Scenario[] {
  return [...past, step].slice(-LONGEST_HISTORY);
}

const LONGEST_HISTORY = 500;
