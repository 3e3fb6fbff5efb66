import type {Json} from '../../base/json.ts';
import {scenarioDocument} from './document.ts';
import {PRESETS} from './presets.ts';
import {parseScenario, type Scenario} from './scenario.ts';

/** A key as `--set` takes it, and its value's JSON. */
export type Setting = readonly [key: string, json: string];

/** What of `from` must be set to make it `to`. */
export function differences(from: Scenario, to: Scenario): readonly Setting[] {
  const [given, wanted] = [new Map(settingsOf(from)), settingsOf(to)];
  const differing = wanted.filter(([key, json]) => key !== TYPICAL && given.get(key) !== json);
  // any other setting takes it away
  const before = differing.length === 0 ? (given.get(TYPICAL) ?? 'null') : 'null';
  const typical = wanted.find(([key]) => key === TYPICAL) ?? [TYPICAL, 'null'];
  return typical[1] === before ? differing : [...differing, typical];
}

const TYPICAL = 'typicalOf';

/** Where a scenario can start from: every default (null), or a preset; and what must then be set. */
export interface Start {
  readonly preset: string | null;
  readonly settings: readonly Setting[];
}

/** All of them, every default first. */
export function startsOf(scenario: Scenario): readonly [Start, ...Start[]] {
  const startOf = (preset: string | null, document: Json): Start => {
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(`invalid preset: ${JSON.stringify(document)}`);
    return {preset, settings: differences(parsed.scenario, scenario)};
  };
  return [startOf(null, {}), ...PRESETS.map(({name, scenario: document}) => startOf(name, document))];
}

/** Of the path each setting, of the rest each part as a whole. */
function settingsOf(scenario: Scenario): readonly Setting[] {
  return Object.entries(scenarioDocument(scenario)).flatMap(([key, value]): Setting[] => {
    if (key !== 'path') return [[key, JSON.stringify(value)]];
    return Object.entries(value as object).map(([setting, each]) => [`path.${setting}`, JSON.stringify(each)]);
  });
}
