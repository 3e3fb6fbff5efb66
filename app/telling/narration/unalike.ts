import {showName} from '../../base/text.ts';
import {describePath} from '../../run/scenario/describe.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {livePathOf} from '../../run/scenario/livePath.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import type {FilePane} from '../../run/trace/joinRuns.ts';
import {joined} from '../../run/trace/traceTexts.ts';
import {pageTitle} from './likeness.ts';

/** What panes are of: which file, which run's settings, which page. */
export type Source = Pick<FilePane, 'file' | 'scenario' | 'page' | 'pane'>;

/** What of the runs that panes are of is not alike: nothing, and they are compared as panes of one run are. */
export interface Unalike {
  readonly page: boolean;
  /** A line each, with who is which. */
  readonly notes: readonly string[];
}

/** `names` are the panes' or their files', as they stand within a sentence. A page is the same by its content; a name may not be known. */
export function unalike(sources: readonly Source[], names: readonly string[]): Unalike {
  const page = new Set(sources.map(pageOf)).size > 1;
  const isLive = sources.map(({scenario}) => scenario.path.live !== undefined);
  const isMixed = isLive.includes(true) && isLive.includes(false);
  const notes = [
    ...(page ? [note('pages', sources.map(pageText), names)] : []),
    ...(isMixed
      ? [
          note(
            'loads',
            isLive.map(live => (live ? 'live' : 'computed')),
            names,
          ),
        ]
      : []),
    ...pathNote(sources, names),
    ...SETTINGS.flatMap(setting => settingNote(setting, sources, names) ?? []),
  ];
  return {page, notes};
}

/** `a.trace, b.trace` */
export function filesText(sources: readonly Pick<Source, 'file'>[]): string {
  return [...new Set(sources.map(({file}) => showName(file)))].join(', ');
}

/** What tells panes' files apart, short: `a` for `a.trace`; none where all are of one. */
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
  const name = page.kind === 'synthetic' ? 'a synthetic one' : pageTitle(page);
  return stamp === undefined ? name : `${name} ${stamp.hash.slice(0, 6)}`;
}

function note(what: string, texts: readonly string[], names: readonly string[]): string {
  return `${what} differ: ${grouped(texts, names).join('; ')}`;
}

/** Those of one text together, in the order of the first of them. */
function grouped(texts: readonly string[], names: readonly string[]): readonly string[] {
  const namesOf = (text: string) => new Set(names.filter((_, i) => texts[i] === text));
  return [...new Set(texts)].map(text => `${text} (${joined([...namesOf(text)])})`);
}

function settingNote(
  {what, textOf, keyOf = textOf, isComputed}: Setting,
  sources: readonly Source[],
  names: readonly string[],
): string | undefined {
  // a live load has none
  const having = sources.map(({scenario}) => isComputed !== true || scenario.path.live === undefined);
  const scenarios = sources.flatMap(({scenario}, i) => (having[i] === true ? scenario : []));
  if (new Set(scenarios.map(keyOf)).size < 2) return undefined;
  const texts = scenarios.map(textOf);
  if (new Set(texts).size < 2) return `${what} differ, in what is not told here`;
  return note(
    what,
    texts,
    names.filter((_, i) => having[i] === true),
  );
}

/** Of a live load a pane can have its own. */
function pathNote(sources: readonly Source[], names: readonly string[]): readonly string[] {
  const paths = sources.map(({scenario, pane}) => {
    const own = scenario.panes[pane];
    return {...scenario.path, ...(own && livePathOf(scenario, own))};
  });
  if (new Set(paths.map(path => JSON.stringify(path))).size < 2) return [];
  const texts = paths.map(describePath);
  return [new Set(texts).size < 2 ? 'paths differ, in what is not told here' : note('paths', texts, names)];
}

type TextOf = (scenario: Scenario) => string;

/** Characters of a file's name beside a pane's. */
const LONGEST_WORD = 24;

interface Setting {
  readonly what: string;
  readonly textOf: TextOf;
  /** What makes it another, where the text does not say all of it. */
  readonly keyOf?: TextOf;
  /** Of computed loads alone. */
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
  {what: 'ways to find objects', textOf: ({discovery}) => discovery},
  {what: 'servers’ times to think', textOf: ({serverThinkMs}) => `${serverThinkMs} ms`, isComputed: true},
  {what: 'time limits', textOf: ({timeLimitMs}) => `${timeLimitMs / 1000} s`},
];
