import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import {
  type FilePane,
  type FilePanes,
  namedRun,
  numberedName,
  panesOfFiles,
  type TraceFile,
} from '../../app/run/trace/joinRuns.ts';
import type {Run} from '../../app/run/trace/runFile.ts';
import {endedRun} from './liveRun.ts';
import type {ShownRun} from './loads.ts';
import type {TracePanes} from './traceRuns.ts';

/** Reads the panes of trace files. If a file is invalid, the result's message says why. */
export function readTraces(files: readonly TraceFile[]): FilePanes {
  const read = panesOfFiles(files);
  return read.ok ? read : {ok: false, message: `${read.message}: it cannot be opened`};
}

/** Adds the panes of more files to the open ones. It shows as many of them as there is room for, and at least one. */
export function addedPanes(open: TracePanes | undefined, run: ShownRun, added: readonly FilePane[]): TracePanes {
  const {all, shown} = open ?? {all: panesOnShow(run), shown: undefined};
  const before = shown ?? all;
  const renamed = withFreeNames(all, added);
  // if there is no room, the last pane makes room for one added pane
  const kept = before.length < MOST_PANES ? before : before.slice(0, -1);
  return {all: [...all, ...renamed], shown: [...kept, ...renamed].slice(0, MOST_PANES)};
}

/** The added panes. If an open file has the name of an added file, the added file gets a number that makes it unique. */
function withFreeNames(open: readonly FilePane[], added: readonly FilePane[]): readonly FilePane[] {
  const openNames = new Set(open.map(({file}) => file));
  const taken = new Set([...openNames, ...added.map(({file}) => file)]);
  const renamed = new Map<string, string>();
  for (const name of new Set(added.map(({file}) => file))) {
    if (!openNames.has(name)) continue;
    const free = numberedName(name, taken);
    taken.add(free);
    renamed.set(name, free);
  }
  return added.map(pane => ({...pane, file: renamed.get(pane.file) ?? pane.file}));
}

/** The panes of the run on screen, in the form that trace files have. */
export function panesOnShow(run: ShownRun): readonly FilePane[] {
  // a trace file holds only ended loads
  const whole = run.live?.isOver === false ? endedRun(run, 'it was still loading') : run;
  const {scenario, page, traces, sources} = whole;
  if (sources !== undefined) return sources.map(({snapshot: _, ...pane}) => pane);
  return traces.map(({data}, pane) => ({file: 'on screen', scenario, page: pageStamp(page), pane, data}));
}

/** The run on screen if it belongs to `scenario` and cannot be computed again: trace files or a live load. */
export function nonRepeatableRun(run: ShownRun | null, scenario: Scenario): Run | undefined {
  if (run === null || run.scenario !== scenario) return undefined;
  const hasNoScenario = run.sources !== undefined || scenario.path.live !== undefined;
  return hasNoScenario ? namedRun(panesOnShow(run)) : undefined;
}

interface PaneOfRun {
  readonly scenario: Scenario;
  readonly page: PageSnapshot;
  readonly pane: number;
}

/** The run that a pane on screen belongs to, and the pane's position in that run. */
export function sourceOf({scenario, page, sources}: ShownRun, pane: number): PaneOfRun {
  const source = sources?.[pane];
  if (source === undefined) return {scenario, page, pane};
  return {scenario: source.scenario, page: source.snapshot, pane: source.pane};
}
