import type {Json} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import {capturedRefusal} from '../../app/run/scenario/capturedPath.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {presetHint, readText} from '../../app/run/scenario/readScenario.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {readSeeds} from '../../app/run/scenario/seeds.ts';
import {InputError as FileInputError} from '../files/inputFile.ts';
import {withTraceFiles} from '../files/traceFiles.ts';
import {convertPage, openPageFor} from '../pages/convertPage.ts';
import {InputError} from './inputError.ts';
import type {Page, ScenarioChoice} from './interleave.d.ts';
import {FIXTURES} from './places.ts';

/** A scenario and the page that it loads. */
export interface Opened {
  readonly scenario: Scenario;
  readonly page: PageSnapshot;
}

/**
 * Reads the scenario. If `page` is given, the scenario loads this page. Otherwise opens the scenario's own page.
 * @throws InputError, PageError
 */
export async function opened(choice: ScenarioChoice, page: Page | undefined): Promise<Opened> {
  const scenario = scenarioOf(page === undefined ? choice : {...documentOf(choice), page: page.source});
  if (page === undefined) return {scenario, page: await openPageFor(scenario, FIXTURES)};
  return {scenario, page: await convertPage(page, conversionsOf(scenario.panes))};
}

/** @throws InputError if the scenario is not valid, or if its path is live or captured */
function scenarioOf(choice: ScenarioChoice): Scenario {
  const parsed = parseScenario(documentOf(choice));
  if (!parsed.ok) {
    const [first, ...others] = parsed.problems;
    throw new InputError(`scenario: ${first?.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`);
  }
  const {live, captured} = parsed.scenario.path;
  if (captured !== undefined) throw new InputError(`scenario: ${capturedRefusal(captured)}`);
  if (live !== undefined)
    throw new InputError(`scenario: path.live is ${live}: only interleave run, trace and experiment can load live`);
  return parsed.scenario;
}

/**
 * Returns the JSON of a preset or of a scenario link, or a scenario with the contents of the trace files that it names.
 * @throws InputError
 */
function documentOf(choice: ScenarioChoice): object {
  if (typeof choice !== 'string') return withTraces(choice);
  const isKnown = findPreset(choice) !== undefined || isScenarioLink(choice);
  if (!isKnown)
    throw new InputError(`scenario is ${showName(choice)}: neither a preset nor a link; ${presetHint(choice)}`);
  const read = readText(choice);
  if (!read.ok) throw new InputError(`scenario: ${read.message}`);
  return read.value as object;
}

/** Returns the scenario with the contents of the trace files that it names. @throws InputError */
function withTraces(scenario: object): object {
  try {
    return withTraceFiles(scenario as Json, '.') as object;
  } catch (error) {
    throw error instanceof FileInputError ? new InputError(`scenario: ${error.message}`) : error;
  }
}

/** @throws InputError unless the seeds are like `1-50` or [1, 2, 7] */
export function seedsOf(seeds: string | readonly number[]): readonly number[] {
  const read = readSeeds(typeof seeds === 'string' ? seeds : seeds.join(','));
  if (!read.ok) throw new InputError(`seeds is ${JSON.stringify(seeds)}: ${read.limit}`);
  return read.seeds;
}
