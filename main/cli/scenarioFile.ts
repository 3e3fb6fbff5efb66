import {type Json, scenarioDocument} from '../../app/scenario/document.ts';
import {applyOverride, OverrideError} from '../../app/scenario/override.ts';
import {findPreset, PRESETS} from '../../app/scenario/presets.ts';
import {readJson} from '../../app/scenario/readJson.ts';
import {parseScenario, type Scenario} from '../../app/scenario/scenario.ts';
import {MOST_PROBLEMS} from '../../app/scenario/schema.ts';
import {showName} from '../../app/scenario/show.ts';
import {nearest} from '../../app/scenario/spelling.ts';
import type {ScenarioChoice} from './command.ts';
import {readScenarioText} from './scenarioText.ts';
import {UsageError} from './usageError.ts';

/** The scenario of a file or preset with its `--set`s. @throws UsageError naming what is wrong. */
export function readScenario(choice: ScenarioChoice): Scenario {
  let document = spelledOut(choice.scenario === undefined ? {} : readDocument(choice.scenario));
  try {
    for (const override of choice.overrides) document = applyOverride(document, checkedOverride(override));
  } catch (error) {
    if (error instanceof OverrideError) throw new UsageError(error.message);
    throw error;
  }
  const parsed = parseScenario(document);
  if (parsed.ok) return parsed.scenario;
  const [first, ...others] = parsed.problems;
  const least = parsed.problems.length === MOST_PROBLEMS ? 'at least ' : '';
  const more = others.length === 0 ? '' : ` (and ${least}${others.length} more)`;
  throw new UsageError(`${showName(choice.scenario ?? 'scenario')}: ${first?.message}${more}`);
}

/** With its defaults, so that `--set` reaches into those too; as it is, if it is not valid yet. */
function spelledOut(document: Json): Json {
  const parsed = parseScenario(document);
  return parsed.ok ? scenarioDocument(parsed.scenario) : document;
}

function readDocument(name: string): Json {
  const preset = findPreset(name);
  if (preset !== undefined) return preset.scenario;
  let text: string;
  try {
    text = readScenarioText(name);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const near = nearest(
      name,
      PRESETS.map(one => one.name),
    );
    const hint = near === undefined ? 'interleave presets lists the presets' : `did you mean ${near}?`;
    const why =
      error instanceof Error && 'code' in error && error.code !== 'ENOENT' ? ` (${error.code})` : '';
    throw new UsageError(
      `--scenario ${showName(name, 200)}: neither a preset nor a file that can be read${why}; ${hint}`,
    );
  }
  const read = readJson(text);
  if (!read.ok) throw new UsageError(`${showName(name, 200)}: ${read.message}`);
  return read.value;
}

/** @throws UsageError if it is endless. */
function checkedOverride(override: string): string {
  if (override.length <= LONGEST_OVERRIDE) return override;
  throw new UsageError(
    `--set ${showName(override)}: has ${override.length} characters (at most ${LONGEST_OVERRIDE})`,
  );
}

/** Every `.` of its key is a step down. */
const LONGEST_OVERRIDE = 10_000;
