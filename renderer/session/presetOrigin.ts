import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {findPreset, PRESETS, type Preset} from '../../app/run/scenario/presets.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';

/** The names of presets by scenario. The scenario was opened as the preset, or edits have made it from the preset. */
const origins = new WeakMap<Scenario, string>();

/** Notes that the scenario was opened as this preset. */
export function setOrigin(scenario: Scenario, preset: string): void {
  origins.set(scenario, preset);
}

/** Notes that an edit has made a scenario from another one: if `from` comes from a preset, so does `made`. */
export function keepOrigin(from: Scenario, made: Scenario): void {
  const origin = origins.get(from) ?? equalPreset(from)?.name;
  if (origin !== undefined) origins.set(made, origin);
}

/** The preset that equals a scenario, or else the preset from which edits have made it. Null if there is none. */
export function presetOf(scenario: Scenario): {readonly preset: Preset; readonly isChanged: boolean} | null {
  const equal = equalPreset(scenario);
  if (equal !== undefined) return {preset: equal, isChanged: false};
  const preset = findPreset(origins.get(scenario) ?? '');
  return preset === undefined ? null : {preset, isChanged: true};
}

function equalPreset(scenario: Scenario): Preset | undefined {
  return presetsByText().get(textOf(scenario));
}

let byText: ReadonlyMap<string, Preset> | undefined;

/**
 * Maps the text of a complete document to the preset with this document. If several presets are equal, it has the first
 * of them.
 */
function presetsByText(): ReadonlyMap<string, Preset> {
  byText ??= new Map(
    PRESETS.toReversed().flatMap(preset => {
      const parsed = parseScenario(preset.scenario);
      return parsed.ok ? [[textOf(parsed.scenario), preset]] : [];
    }),
  );
  return byText;
}

function textOf(scenario: Scenario): string {
  return JSON.stringify(scenarioDocument(scenario));
}
