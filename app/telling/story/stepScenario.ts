import type {Json} from '../../base/json.ts';
import {fail, failMissing, INVALID, isObject, MOST_PROBLEMS, type Problem} from '../../base/schema.ts';
import {showName} from '../../base/text.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {OverrideError, setKey} from '../../run/scenario/override.ts';
import {findPreset} from '../../run/scenario/presets.ts';
import {presetHint} from '../../run/scenario/readScenario.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';

/** The keys of a step's document that choose its scenario. */
export interface ScenarioChoice {
  /** A scenario or a preset's name; null for the scenario of the previous step. */
  readonly scenario: Json;
  /** Changes to the scenario: keys in the form that `--set` expects, with their values. */
  readonly set: Json;
}

/** Returns the scenario of a step. `before` is the scenario of the previous step, or null for the first step. */
export function nextScenario(
  before: Scenario | null,
  {scenario, set}: ScenarioChoice,
  path: string,
  problems: Problem[],
): Scenario | typeof INVALID {
  const base = baseOf(before, scenario, `${path}.scenario`, problems);
  return base === INVALID ? INVALID : withSettings(base, set, `${path}.set`, problems);
}

function baseOf(before: Scenario | null, document: Json, path: string, problems: Problem[]): Scenario | typeof INVALID {
  if (document === null) {
    if (before !== null) return before;
    return failMissing(problems, path, "the first step needs a preset's name or a scenario");
  }
  if (typeof document !== 'string') return parsed(document, path, problems);
  const preset = findPreset(document);
  if (preset !== undefined) return parsed(preset.scenario, path, problems);
  return fail(problems, path, document, "a preset's name or a scenario", {
    hint: `; ${presetHint(document)}`,
  });
}

function withSettings(base: Scenario, set: Json, path: string, problems: Problem[]): Scenario | typeof INVALID {
  if (!isObject(set)) return fail(problems, path, set, 'an object of keys and values');
  const entries = Object.entries(set as {readonly [key: string]: Json});
  if (entries.length === 0) return base;
  const isGood = entries.length <= MOST_SETTINGS && entries.every(([key]) => key.length <= LONGEST_KEY);
  if (!isGood) {
    const limit = `up to ${MOST_SETTINGS} keys of up to ${LONGEST_KEY} characters`;
    const longest = Math.max(...entries.map(([key]) => key.length));
    const count = entries.length === 1 ? '1 key' : `${entries.length} keys`;
    const message = `${path} has ${count}, the longest of ${longest} characters: must have ${limit}`;
    if (problems.length < MOST_PROBLEMS) problems.push({path, value: entries.length, limit, message});
    return INVALID;
  }
  let document: Json = scenarioDocument(base);
  for (const [key, value] of entries) {
    try {
      document = setKey(document, key, value);
    } catch (error) {
      if (!(error instanceof OverrideError)) throw error;
      return fail(problems, `${path}[${showName(JSON.stringify(key))}]`, value, 'a value of a setting that exists');
    }
  }
  return parsed(document, path, problems);
}

/** Parses a scenario. Problems are reported with their path in the story. */
function parsed(document: Json, path: string, problems: Problem[]): Scenario | typeof INVALID {
  const answer = parseScenario(document);
  if (answer.ok) return answer.scenario;
  for (const problem of answer.problems.slice(0, MOST_PROBLEMS - problems.length)) {
    const message = `${path}: ${problem.message}`;
    problems.push({...problem, path: problem.path === '' ? path : `${path}.${problem.path}`, message});
  }
  return INVALID;
}

/**
 * The largest number of keys in `set`. The program writes at most one for each key of a scenario and of its path, which
 * are fewer.
 */
export const MOST_SETTINGS = 100;
/** The longest key, characters. Keys are limited because every `.` in a key is one level of nesting. */
export const LONGEST_KEY = 200;
