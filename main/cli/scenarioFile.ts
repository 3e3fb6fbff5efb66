import type {Json} from '../../app/base/json.ts';
import {MOST_PROBLEMS, type Problem} from '../../app/base/schema.ts';
import {showName} from '../../app/base/text.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {applyOverride, OverrideError, setKey} from '../../app/run/scenario/override.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {presetHint, readText} from '../../app/run/scenario/readScenario.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {readFile} from '../../app/run/trace/readScenarioFile.ts';
import type {ScenarioChoice} from './command.ts';
import {bytesOf} from './namedFile.ts';
import {UsageError} from './usageError.ts';

/** The scenario of a file, link or preset with its `--page` and `--set`s. @throws UsageError naming what is wrong. */
export function chosenScenario(choice: ScenarioChoice): Scenario {
  let document = spelledOut(choice.scenario === undefined ? {} : readDocument(choice.scenario));
  try {
    if (choice.page !== undefined) document = setKey(document, 'page', choice.page);
    for (const override of choice.overrides) document = applyOverride(document, checkedOverride(override));
  } catch (error) {
    if (error instanceof OverrideError) throw new UsageError(error.message);
    throw error;
  }
  const parsed = parseScenario(document);
  if (parsed.ok) return parsed.scenario;
  throw problemsError(choice.scenario ?? 'scenario', parsed.problems);
}

/** What is wrong with a document of that name, in one line. */
export function problemsError(name: string, problems: readonly Problem[]): UsageError {
  const [first, ...others] = problems;
  const least = problems.length >= MOST_PROBLEMS ? 'at least ' : '';
  const more = others.length === 0 ? '' : ` (and ${least}${others.length} more)`;
  return new UsageError(`${showName(name)}: ${first?.message}${more}`);
}

/** With its defaults, so that `--set` reaches into those too; as it is, if it is not valid yet. */
function spelledOut(document: Json): Json {
  const parsed = parseScenario(document);
  return parsed.ok ? scenarioDocument(parsed.scenario) : document;
}

/** A preset's, a link's, or a file's: a scenario document, or a trace file of a run of it. */
function readDocument(name: string): Json {
  const isItself = findPreset(name) !== undefined || isScenarioLink(name);
  const read = isItself ? readText(name) : readFile(bytesOf(name, why => problemOf(name, why)));
  if (!read.ok) throw new UsageError(`${showName(name, 200)}: ${read.message}`);
  return read.value;
}

/** Why there is no such scenario, and what else may be meant. */
function problemOf(name: string, why: string): string {
  return `--scenario ${showName(name, 200)}: neither a preset nor a file that can be read${why}; ${presetHint(name)}`;
}

/** @throws UsageError if it is endless. */
function checkedOverride(override: string): string {
  if (override.length <= LONGEST_OVERRIDE) return override;
  throw new UsageError(`--set ${showName(override)}: has ${override.length} characters (at most ${LONGEST_OVERRIDE})`);
}

/** Every `.` of its key is a step down. */
const LONGEST_OVERRIDE = 10_000;
