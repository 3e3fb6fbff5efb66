import type {Json} from '../../base/json.ts';
import {showName} from '../../base/text.ts';
import {CONVERSIONS} from '../../page/conversion.ts';
import type {PageSnapshot, PageStamp} from '../../page/page.ts';
import {scenarioDocument} from '../scenario/document.ts';
import {MOST_PANES, parseScenario, type Scenario} from '../scenario/scenario.ts';
import {type DecodedRun, decodeRun, type PaneSource, type Run} from './runFile.ts';
import type {TraceData} from './traceData.ts';
import {traceProblem} from './traceProblem.ts';

/** A trace file that a user chose or dropped. */
export interface TraceFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** One pane of a trace file: its trace, and the scenario and the page of its run. */
export interface FilePane {
  /**
   * The name of the trace file from which the pane came, with a number if an earlier file has the same name. If panes
   * were joined into a new file, this is not the name of the new file.
   */
  readonly file: string;
  readonly scenario: Scenario;
  /** Identifies the page of the run. Undefined if the file does not identify its page. */
  readonly page: PageStamp | undefined;
  /** Index of the pane in the scenario. */
  readonly pane: number;
  readonly data: TraceData;
}

export type FilePanes =
  | {readonly ok: true; readonly panes: readonly [FilePane, ...FilePane[]]}
  | {readonly ok: false; readonly message: string};

/**
 * Returns all panes of the files, in order. The panes may belong to different runs. If a file is invalid, the message
 * names the file. The function never throws.
 */
export function panesOfFiles(files: readonly TraceFile[]): FilePanes {
  return panesOfAll(files.map(({name, bytes}) => ({name, read: () => decodeRun(bytes)})));
}

/** Like {@link panesOfFiles}, for runs that are in memory. Each run has the name that its file would have. */
export function panesOfRuns(runs: readonly {readonly name: string; readonly run: Run}[]): FilePanes {
  return panesOfAll(runs.map(({name, run}) => ({name, read: () => ({ok: true, run})})));
}

/** Runs are read one after the other, so that the message is about the first invalid one. */
function panesOfAll(files: readonly {readonly name: string; readonly read: () => DecodedRun}[]): FilePanes {
  if (files.length > MOST_PANES)
    return refused(`${files.length} trace files are too many: at most ${MOST_PANES} are shown at once`);
  const panes: FilePane[] = [];
  // Files in different folders may have equal names.
  const used = new Set<string>();
  const taken = new Set(files.map(({name}) => name));
  for (const {name, read} of files) {
    const decoded = read();
    const file = used.has(name) ? numberedName(name, taken) : name;
    used.add(file);
    taken.add(file);
    const found = decoded.ok ? panesOfRun(file, decoded.run) : decoded.message;
    if (typeof found === 'string') return refused(`${showName(file, LONGEST_NAME)}: ${found}`);
    panes.push(...found);
  }
  const [first, ...others] = panes;
  return first === undefined ? refused('no trace files') : {ok: true, panes: [first, ...others]};
}

/** Returns the name of a file with the smallest number from 2 on that makes it different from all taken names. */
export function numberedName(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${name} (${number})`)) number++;
  return `${name} (${number})`;
}

/**
 * Returns the panes that are shown at first: all panes if there are at most {@link MOST_PANES}, otherwise the first
 * pane of each file, up to this number.
 */
export function firstChoice(panes: readonly FilePane[]): readonly FilePane[] {
  if (panes.length <= MOST_PANES) return panes;
  return panes.filter(({file}, i) => panes.findIndex(other => other.file === file) === i).slice(0, MOST_PANES);
}

/**
 * Returns one scenario for panes side by side: the first pane's scenario with the settings of all panes. If the panes
 * belong to several runs, no run had this scenario, and only its panes are meaningful. Undefined if there are no panes.
 */
export function joinedScenario(panes: readonly FilePane[]): Scenario | undefined {
  const [first] = panes;
  if (first === undefined) return undefined;
  const settings = panes.flatMap(({scenario, pane}) => scenario.panes[pane] ?? []);
  return {...first.scenario, panes: settings};
}

/**
 * Returns the panes as one run that a trace file can hold. `sources` is absent if these are exactly the panes of a
 * single run, in order. Undefined if there are no panes.
 */
export function joinedRun(panes: readonly FilePane[]): Run | undefined {
  const scenario = joinedScenario(panes);
  const [first] = panes;
  if (first === undefined || scenario === undefined) return undefined;
  const run = {scenario: scenarioDocument(scenario), ...stamped(first), panes: panes.map(({data}) => data)};
  const isWhole =
    panes.length === first.scenario.panes.length &&
    panes.every((each, i) => each.pane === i && each.scenario === first.scenario);
  return isWhole ? run : {...run, sources: panes.map(sourceOf)};
}

/** Like {@link joinedRun}, but always with `sources`, which name the files. */
export function namedRun(panes: readonly FilePane[]): Run | undefined {
  const run = joinedRun(panes);
  return run && {...run, sources: panes.map(sourceOf)};
}

function sourceOf(pane: FilePane): PaneSource {
  return {
    file: pane.file,
    scenario: scenarioDocument(pane.scenario),
    ...stamped(pane),
    pane: pane.pane,
  };
}

function stamped({page}: FilePane): {readonly page?: PageStamp} {
  return page === undefined ? {} : {page};
}

/** Returns the panes of a run, or an error message. */
function panesOfRun(file: string, run: Run): readonly FilePane[] | string {
  if (run.panes.length === 0) return 'it has no panes';
  const sources = run.sources ?? run.panes.map((_, pane) => ({...run, file, pane}));
  // Panes of one run share their scenario.
  const scenarios = new Map<string, Scenario>();
  const panes: FilePane[] = [];
  for (const [i, data] of run.panes.entries()) {
    const source = sources[i];
    if (source === undefined) return `its pane ${i + 1} belongs to no run`;
    const scenario = scenarioOf(source.scenario, scenarios);
    if (typeof scenario === 'string') return scenario;
    const problem = paneProblem(scenario, source.pane, data) ?? traceProblem(data);
    if (problem !== undefined) return `damaged trace file: its pane ${i + 1} ${problem}`;
    panes.push({file: source.file, scenario, page: stampOf(source.page), pane: source.pane, data});
  }
  const [{scenario} = {scenario: undefined}] = panes;
  const isShort = run.sources === undefined && scenario?.panes.length !== panes.length;
  return isShort
    ? `damaged trace file: it has ${panes.length} panes, but its scenario has ${scenario?.panes.length}`
    : panes;
}

function scenarioOf(document: Json, known: Map<string, Scenario>): Scenario | string {
  const key = JSON.stringify(document);
  const before = known.get(key);
  if (before !== undefined) return before;
  const parsed = parseScenario(document);
  if (!parsed.ok) return `its scenario is not valid: ${parsed.problems[0]?.message}`;
  known.set(key, parsed.scenario);
  return parsed.scenario;
}

/** Returns the first difference between a trace and its scenario, or undefined. */
function paneProblem(scenario: Scenario, number: number, data: TraceData): string | undefined {
  const pane = scenario.panes[number];
  if (pane === undefined)
    return `is pane ${number + 1} of its run, but the scenario of this run has ${scenario.panes.length} panes`;
  if (pane.pipeline !== data.pipeline)
    return `was loaded over ${data.pipeline}, but over ${pane.pipeline} in its scenario`;
  return pane.conversion === data.conversion ? undefined : 'has pictures in another conversion than its scenario';
}

/** Returns the value as a page stamp. Undefined if it is not one. */
function stampOf(page: unknown): PageStamp | undefined {
  const {hash, leftOut, conversions} = (page ?? {}) as Partial<PageStamp>;
  if (typeof hash !== 'string' || !areTexts(leftOut)) return undefined;
  if (conversions === undefined) return {hash, leftOut};
  const areKnown = Array.isArray(conversions) && conversions.every(each => CONVERSIONS.includes(each));
  return areKnown ? {hash, leftOut, conversions} : undefined;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string');
}

function refused(message: string): FilePanes {
  return {ok: false, message};
}

/** Longest name in a message, in characters. Longer names are cut. */
const LONGEST_NAME = 80;

/**
 * Returns an error message if the page that was found differs from the page of a trace file's run. Undefined if both
 * are the same, or if the file does not identify its page.
 */
export function otherPage(
  {file, page}: Pick<FilePane, 'file' | 'page'>,
  {name, hash}: Pick<PageSnapshot, 'name' | 'hash'>,
): string | undefined {
  if (page === undefined || page.hash === hash) return undefined;
  const [found, ofFile] = [showName(name, LONGEST_NAME), showName(file, LONGEST_NAME)];
  const hashes = `${hash.slice(0, 12)}… instead of ${page.hash.slice(0, 12)}…`;
  return `the page ${found} differs from the page of ${ofFile}: its hash is ${hashes}`;
}
