import {joined, showName} from '../../base/text.ts';
import {browserOf} from '../../browsers/list.ts';
import {isComputedPath} from '../../run/scenario/capturedPath.ts';
import {describePath} from '../../run/scenario/describe.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {livePathOf} from '../../run/scenario/livePath.ts';
import type {PathSettings} from '../../run/scenario/path.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import type {FilePane} from '../../run/trace/joinRuns.ts';
import {serverOf} from '../../servers/list.ts';
import {pageTitle} from './likeness.ts';

/** Where a pane comes from: its file, the settings of its run, and its page. */
export type Source = Pick<FilePane, 'file' | 'scenario' | 'page' | 'pane'>;

/** The differences between runs whose panes are shown together. Without differences, they are shown like one run. */
export interface Unalike {
  /** Whether the pages differ. */
  readonly page: boolean;
  /**
   * One line for each difference. The line gives each value and the panes that have it. If the texts of the values are
   * equal, the line says that they differ in details that are not shown.
   */
  readonly notes: readonly string[];
}

/**
 * Finds the differences between runs. `names` are the names of the panes or of their files as a sentence uses them.
 * Pages are compared by the hash of their content or, if a file has no hash, by the page that its scenario names.
 */
export function unalike(sources: readonly Source[], names: readonly string[]): Unalike {
  const page = new Set(sources.map(pageOf)).size > 1;
  const loads = sources.map(({scenario: {path}}) => loadText(path));
  const notes = [
    ...(page ? [note('pages', sources.map(pageText), names)] : []),
    ...(new Set(loads).size > 1 ? [note('loads', loads, names)] : []),
    ...pathNote(sources, names),
    ...SETTINGS.flatMap(setting => settingNote(setting, sources, names) ?? []),
  ];
  return {page, notes};
}

function loadText({live, captured}: PathSettings): string {
  return live !== undefined ? 'live' : captured !== undefined ? 'captured' : 'computed';
}

/** The names of the files: `a.trace, b.trace`. */
export function filesText(sources: readonly Pick<Source, 'file'>[]): string {
  return [...new Set(sources.map(({file}) => showName(file)))].join(', ');
}

/** Short names that distinguish the panes' files, like `a` for `a.trace`; empty if all are from one file. */
export function fileWords(sources: readonly Pick<Source, 'file'>[]): readonly string[] {
  const files = sources.map(({file}) => showName(file, LONGEST_WORD));
  if (new Set(files).size < 2) return [];
  const words = files.map(file => file.replace(/\.trace(\.gz)?(?=$| \()/, ''));
  return new Set(words).size === new Set(files).size ? words : files;
}

function pageOf({scenario, page}: Source): string {
  return page?.hash ?? JSON.stringify(scenarioDocument(scenario)['page']);
}

function pageText({scenario: {page}, page: stamp}: Source): string {
  const name = page.kind === 'synthetic' ? 'synthetic page' : pageTitle(page);
  return stamp === undefined ? name : `${name} ${stamp.hash.slice(0, 6)}`;
}

function note(what: string, texts: readonly string[], names: readonly string[]): string {
  return `${what} differ: ${grouped(texts, names).join('; ')}`;
}

/** Lists each distinct text with the names of its panes. The order is that of the first pane with each text. */
function grouped(texts: readonly string[], names: readonly string[]): readonly string[] {
  const namesOf = (text: string) => new Set(names.filter((_, i) => texts[i] === text));
  return [...new Set(texts)].map(text => `${text} (${joined([...namesOf(text)])})`);
}

function settingNote(
  {what, textOf, keyOf = textOf, isComputed}: Setting,
  sources: readonly Source[],
  names: readonly string[],
): string | undefined {
  // live and captured loads lack the settings that only computed loads have
  const having = sources.map(({scenario}) => isComputed !== true || isComputedPath(scenario.path));
  const scenarios = sources.flatMap(({scenario}, i) => (having[i] === true ? scenario : []));
  if (new Set(scenarios.map(keyOf)).size < 2) return undefined;
  const texts = scenarios.map(textOf);
  if (new Set(texts).size < 2) return `${what} differ, in details that are not shown here`;
  return note(
    what,
    texts,
    names.filter((_, i) => having[i] === true),
  );
}

/** The note on paths, or none if all paths are equal. In a live load each pane can have its own path. */
function pathNote(sources: readonly Source[], names: readonly string[]): readonly string[] {
  const paths = sources.map(({scenario, pane}) => {
    const own = scenario.panes[pane];
    return {...scenario.path, ...(own && livePathOf(scenario, own))};
  });
  if (new Set(paths.map(path => JSON.stringify(path))).size < 2) return [];
  const texts = paths.map(describePath);
  return [new Set(texts).size < 2 ? 'paths differ, in details that are not shown here' : note('paths', texts, names)];
}

type TextOf = (scenario: Scenario) => string;

/** The longest file name that is shown beside a pane's name, characters. */
const LONGEST_WORD = 24;

interface Setting {
  readonly what: string;
  readonly textOf: TextOf;
  /** The text that is compared. It defaults to that of `textOf`, which may omit details. */
  readonly keyOf?: TextOf;
  /** Set if only computed loads have the setting. */
  readonly isComputed?: true;
}

const SETTINGS: readonly Setting[] = [
  {what: 'seeds', textOf: ({seed}) => String(seed), isComputed: true},
  {
    what: 'changes of the path',
    textOf: ({changes}) => (changes.length === 0 ? 'none' : String(changes.length)),
    keyOf: scenario => JSON.stringify(scenarioDocument(scenario)['changes']),
    isComputed: true,
  },
  {what: 'ways to discover objects', textOf: ({discovery}) => discovery},
  {what: 'browsers', textOf: ({browser}) => browserOf(browser).label, isComputed: true},
  {
    what: 'times of scripts',
    textOf: ({cpu}) => (typeof cpu === 'number' ? `${cpu} × recorded` : cpu),
    isComputed: true,
  },
  {what: 'times to look up a host', textOf: ({dnsMs}) => `${dnsMs} ms`, isComputed: true},
  {what: 'certificates', textOf: ({certificate}) => `one for each ${certificate}`, isComputed: true},
  {what: 'web servers', textOf: ({server}) => serverOf(server).label, isComputed: true},
  {what: 'visits', textOf: ({visit}) => (visit === 'first' ? 'the first one' : 'again'), isComputed: true},
  {
    what: 'servers’ thinking times',
    textOf: ({serverThinkMs, serverThinking}) =>
      `${serverThinkMs} ms${serverThinkMs > 0 && serverThinking === 'in-turn' ? ' in turn' : ''}`,
    isComputed: true,
  },
  {what: 'time limits', textOf: ({timeLimitMs}) => `${timeLimitMs / 1000} s`},
];
