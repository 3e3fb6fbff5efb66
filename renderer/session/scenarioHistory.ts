import type {Json} from '../../app/base/json.ts';
import type {Problem} from '../../app/base/schema.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {editAll, withoutChange} from './editScenario.ts';
import {type Gesture, goOn, settled, withoutNewest} from './gesture.ts';
import type {Player} from './player.ts';
import type {Slice} from './state.ts';
import type {ViewSettings} from './view.ts';

/** The scenario that is set, and its history. */
export interface SettingsState {
  readonly scenario: Scenario;
  readonly past: readonly Scenario[];
  readonly future: readonly Scenario[];
  /**
   * When the newest change of the gesture under way begins to hold, ms; t may not be there yet. Null without such a
   * change.
   */
  readonly setFromMs: number | null;
  /** Why the last edit was refused, and of which key it was. */
  readonly refused: {readonly key: string; readonly problem: Problem} | null;
}

type Read = SettingsState & {readonly view: Pick<ViewSettings, 'isFromNow'>};

/** What else happens with a step of the history. */
interface Others {
  readonly player: Pick<Player, 'tNs'>;
  /** Computes the scenario that was set. */
  readonly load: () => void;
  /** Gives up a scenario that was opened and is not on screen yet. */
  readonly giveUpOpening: () => void;
  /** Whether nothing can be set, because trace files are shown; if so, a notice says that. */
  readonly tellsOfFiles: () => boolean;
}

/** The scenario as the controls set it, in steps that can be undone and redone. */
export class ScenarioHistory {
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
    // if a number is refused, the part of it that was typed before was not meant either
    this.#goBack(withoutNewest(before, scenario, tNs), before.base);
  }

  /** Ends an edit: the control shows again the value that was accepted last. */
  endEdit(): void {
    this.#settle();
    this.#state.set({refused: null});
  }

  /** Sets one key in one step. If it is refused, the reason stays until the next edit. */
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

  /** Sets another scenario, in one step. */
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

  /** Forgets the gesture under way, whose changes are gone. */
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

  /** Takes back the part of a step from `base` that was not meant. */
  #goBack(scenario: Scenario, base: Scenario): void {
    const state = this.#state.get();
    if (scenario === state.scenario) return;
    const past = scenario === base ? state.past.slice(0, -1) : state.past;
    this.#state.set({scenario, past, setFromMs: null});
    this.#others.load();
  }

  /** Sets the scenario in one step from `base`. A step that goes on replaces its own last state. */
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

/** `past` with one more step. The oldest steps are dropped. */
export function withStep(past: readonly Scenario[], step: Scenario): readonly Scenario[] {
  return [...past, step].slice(-LONGEST_HISTORY);
}

const LONGEST_HISTORY = 500;
