import {dirname} from 'node:path';
import type {Json} from '../../../app/base/json.ts';
import {MOST_PROBLEMS, type Problem} from '../../../app/base/schema.ts';
import {showName} from '../../../app/base/text.ts';
import {capturedRefusal} from '../../../app/run/scenario/capturedPath.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {isScenarioLink} from '../../../app/run/scenario/link.ts';
import {applyOverride, OverrideError, setKey} from '../../../app/run/scenario/override.ts';
import {findPreset} from '../../../app/run/scenario/presets.ts';
import {presetHint, readText} from '../../../app/run/scenario/readScenario.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {readFile} from '../../../app/run/trace/readScenarioFile.ts';
import {InputError} from '../../files/inputFile.ts';
import {withTraceFiles} from '../../files/traceFiles.ts';
import type {Trust} from '../../pages/base/trust.ts';
import {bytesOf} from './namedFile.ts';
import type {Option, Options, Values} from './option.ts';
import {type ACCESS_OPTIONS, trustOf} from './trust.ts';
import {UsageError} from './usageError.ts';

export const SCENARIO = {
  type: 'string',
  short: 's',
  value: 'FILE|PRESET',
  help:
    'The scenario: a JSON file, the name of a preset (interleave presets), a link, or a trace file, whose scenario ' +
    'is then loaded again. Files may be compressed (gzip). Without this option, every setting has its default.',
} as const satisfies Option;

/** Options that choose a scenario and change it. */
export const SCENARIO_OPTIONS = {
  scenario: SCENARIO,
  page: {
    type: 'string',
    value: 'PAGE',
    help:
      'Loads this page instead of the scenario’s: a name (interleave pages), an http, https or sctp address, a ' +
      'folder with an index.html, an .html, .har, .mhtml or .zip file, a picture, a folder of pictures, or the hash ' +
      'of a page that was opened before.',
  },
  set: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    help:
      'Changes one setting of the scenario; it may be given several times. Examples: path.loss.down=0.03, ' +
      'panes[1].streams=4, page=gallery-png, seed=7. The value is JSON, or a word without quotes.',
  },
} as const satisfies Options;

/** Which scenario a command loads. */
export interface ScenarioChoice {
  /** The name of a file or preset, or a link. If undefined, every setting has its default. */
  readonly scenario: string | undefined;
  /** A page to load instead of the scenario's: a name, a path, an address or a hash. */
  readonly page: string | undefined;
  /** Whether the page may have an address that is not public. */
  readonly isPrivateAllowed: boolean;
  /** Which https servers are trusted. If undefined, the authorities that Node contains decide. */
  readonly trust?: Trust | undefined;
  /** Changes to the scenario, each as `KEY=VALUE`. */
  readonly overrides: readonly string[];
}

/** @throws UsageError */
export function scenarioChoice(values: Values<typeof SCENARIO_OPTIONS & typeof ACCESS_OPTIONS>): ScenarioChoice {
  const {scenario, page, set: overrides = []} = values;
  return {
    scenario,
    page,
    isPrivateAllowed: values['allow-private'] ?? false,
    trust: trustOf(values),
    overrides,
  };
}

/**
 * Returns the scenario of a file, link or preset, changed by `--page` and every `--set`.
 * @throws UsageError, for example if the path is captured. The commands that call this load the scenario's page or
 * emulate its path. But a captured load cannot be loaded again, and the settings of its path are not known
 */
export function chosenScenario(choice: Pick<ScenarioChoice, 'scenario' | 'page' | 'overrides'>): Scenario {
  let document = spelledOut(choice.scenario === undefined ? {} : readDocument(choice.scenario));
  try {
    if (choice.page !== undefined) document = setKey(document, 'page', choice.page);
    for (const override of choice.overrides) document = applyOverride(document, checkedOverride(override));
  } catch (error) {
    if (error instanceof OverrideError) throw new UsageError(error.message);
    throw error;
  }
  // a `--set` may name files with link traces (a link's rate or delay over time), whose contents are inserted here
  const parsed = parseScenario(withTraces(document, '.'));
  if (parsed.ok) {
    const {captured} = parsed.scenario.path;
    if (captured !== undefined) throw new UsageError(capturedRefusal(captured));
    return parsed.scenario;
  }
  throw problemsError(choice.scenario ?? 'scenario', parsed.problems);
}

/** Returns an error about the document `name`. Its message has the first problem and the number of the others. */
export function problemsError(name: string, problems: readonly Problem[]): UsageError {
  const [first, ...others] = problems;
  const least = problems.length >= MOST_PROBLEMS ? 'at least ' : '';
  const more = others.length === 0 ? '' : ` (and ${least}${others.length} more)`;
  return new UsageError(`${showName(name)}: ${first?.message}${more}`);
}

/**
 * Returns the document with all defaults written out, because `--set` may change a setting that the document leaves
 * out. An invalid document is returned unchanged.
 */
function spelledOut(document: Json): Json {
  const parsed = parseScenario(document);
  return parsed.ok ? scenarioDocument(parsed.scenario) : document;
}

/** Returns the document of a preset, a link, a scenario file or a trace file. */
function readDocument(name: string): Json {
  const isItself = findPreset(name) !== undefined || isScenarioLink(name);
  const read = isItself ? readText(name) : readFile(bytesOf(name, why => problemOf(name, why)));
  if (!read.ok) throw new UsageError(`${showName(name, 200)}: ${read.message}`);
  return isItself ? read.value : withTraces(read.value, dirname(name));
}

/**
 * Returns the document with the contents of the link traces whose files it names. A link trace is the rate or delay of
 * a link over time. The names of the files are relative to `folder`.
 * @throws UsageError
 */
export function withTraces(document: Json, folder: string): Json {
  try {
    return withTraceFiles(document, folder);
  } catch (error) {
    throw error instanceof InputError ? new UsageError(error.message) : error;
  }
}

/** Returns a message that says why the scenario cannot be read, and which preset the user may have meant. */
function problemOf(name: string, why: string): string {
  return `--scenario ${showName(name, 200)}: neither a preset nor a file that can be read${why}; ${presetHint(name)}`;
}

/** @throws UsageError if the override is too long */
function checkedOverride(override: string): string {
  if (override.length <= LONGEST_OVERRIDE) return override;
  throw new UsageError(`--set ${showName(override)}: has ${override.length} characters (at most ${LONGEST_OVERRIDE})`);
}

/**
 * The maximum number of characters of an override. The limit also bounds how deep a key can reach into the document,
 * because every `.` in the key is one level.
 */
const LONGEST_OVERRIDE = 10_000;
