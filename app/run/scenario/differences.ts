import type {Json} from '../../base/json.ts';
import {isComputedPath} from './capturedPath.ts';
import {explicitDocument} from './document.ts';
import {PART_KEYS} from './linkParts.ts';
import {PRESETS} from './presets.ts';
import {parseScenario, type Scenario} from './scenario.ts';

/** One setting: a key as in `--set`, and its value as JSON. */
export type Setting = readonly [key: string, json: string];

/** Returns the settings that turn `from` into `to`. */
export function differences(from: Scenario, to: Scenario): readonly Setting[] {
  // Settings of an emulated path and those of a live or captured one exclude each other. If either path is live or
  // captured, the path is therefore set as a whole.
  const isLive = !isComputedPath(from.path) || !isComputedPath(to.path);
  const [given, wanted] = [new Map(settingsOf(from, isLive)), settingsOf(to, isLive)];
  const differs = ([key, json]: Setting) => key !== TYPICAL && given.get(key) !== json;
  // Setting `queuePackets` removes `queue`, which is therefore set again.
  const losesQueue = wanted.some(setting => setting[0] === 'path.queuePackets' && differs(setting));
  const differing = wanted.filter(
    setting => differs(setting) || (losesQueue && setting[0] === 'path.queue' && setting[1] !== 'null'),
  );
  // Setting any other key removes `typicalOf`.
  const before = differing.length === 0 ? (given.get(TYPICAL) ?? 'null') : 'null';
  const typical = wanted.find(([key]) => key === TYPICAL) ?? [TYPICAL, 'null'];
  return typical[1] === before ? differing : [...differing, typical];
}

const TYPICAL = 'typicalOf';

/** One way to write a scenario: a preset or all defaults (null), and the settings that are then changed. */
export interface Start {
  readonly preset: string | null;
  readonly settings: readonly Setting[];
}

/**
 * Returns several ways to write a scenario: the first one starts from the defaults, and each of the others starts from
 * a preset.
 */
export function startsOf(scenario: Scenario): readonly [Start, ...Start[]] {
  const startOf = (preset: string | null, document: Json): Start => {
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(`invalid preset: ${JSON.stringify(document)}`);
    return {preset, settings: differences(parsed.scenario, scenario)};
  };
  return [startOf(null, {}), ...PRESETS.map(({name, scenario: document}) => startOf(name, document))];
}

/**
 * Returns the settings of a scenario, one for each key. Instead of one setting for the path, there is one for each key
 * of the path, unless `wholePath` is true.
 */
function settingsOf(scenario: Scenario, wholePath: boolean): readonly Setting[] {
  return Object.entries(explicitDocument(scenario)).flatMap(([key, value]): Setting[] => {
    if (key !== 'path' || wholePath) return [[key, JSON.stringify(value)]];
    const given = new Map(Object.entries(value as {readonly [setting: string]: Json}));
    // Setting `queuePackets` removes `queue`, so `queue` must be set later. The order of a document ensures this.
    const all = [...new Set([...given.keys(), ...ABSENT.keys()])];
    return all.map(setting => [`path.${setting}`, JSON.stringify(given.get(setting) ?? ABSENT.get(setting))]);
  });
}

/** Settings of a path that a document contains only if they are used, with the values that remove them. */
const ABSENT: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['down', {}],
  ['up', {}],
  ...PART_KEYS.map((key): [string, Json] => [key, null]),
  ['atOnce', false],
  ['traffic', []],
]);
