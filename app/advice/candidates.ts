import {type Pane, pipelineOf} from '../pipelines/index.ts';
import {paneDocument} from '../scenario/document.ts';
import {DEFAULT_PANES, overPipeline, paneSettings} from '../scenario/pane.ts';
import type {Scenario} from '../scenario/scenario.ts';
import {check} from '../scenario/schema.ts';

/** The side of a scenario that the advice is for. */
export interface AdvisedPane {
  /** Its place; null where no side multiplexes: then it is the first one as it would be over SCTP. */
  readonly number: number | null;
  readonly pane: Pane;
}

/** One way to set it. */
export interface Candidate {
  /** Null of a pipeline that has no such setting. */
  readonly streams: number | null;
  readonly scheduler: string;
  readonly pane: Pane;
}

/** The first side with a number of streams, else the first with a scheduler. */
export function advisedPane({panes}: Pick<Scenario, 'panes'>): AdvisedPane {
  for (const setting of ['streams', 'scheduler']) {
    const number = panes.findIndex(pane => Object.hasOwn(pane, setting));
    const pane = panes[number];
    if (pane !== undefined) return {number, pane};
  }
  const [first] = panes;
  const usual = DEFAULT_PANES.find(pane => Object.hasOwn(pane, 'streams'));
  if (first === undefined || usual === undefined) throw new RangeError('a scenario without panes');
  return {number: null, pane: overPipeline(first, usual.pipeline, undefined)};
}

/** The scenario with that side as it is to be: in the place of the last one where there is no more room. */
export function withPane(
  {panes}: Pick<Scenario, 'panes'>,
  {number}: AdvisedPane,
  pane: Pane,
  most: number,
): readonly Pane[] {
  const place = number ?? Math.min(panes.length, most - 1);
  return [...panes.slice(0, place), pane, ...panes.slice(place + 1)];
}

/** Every number of streams with every scheduler, the fewest streams first; `objects` is how many the page names. */
export function candidatesOf(pane: Pane, objects: number): readonly Candidate[] {
  const {settings} = pipelineOf(pane.pipeline);
  const {scheduler, streams} = settings;
  const words = scheduler?.kind === 'choice' ? scheduler.choices.map(([word]) => word) : [];
  const counts = streams?.kind === 'number' ? streamCounts(objects, streams.most, streamsOf(pane)) : [null];
  return counts.flatMap(count => words.flatMap(word => candidate(pane, count, word) ?? []));
}

/**
 * Up to as many streams as objects, beyond which more change nothing (N07 §4): each, or of many about a dozen, ever
 * farther apart. What is set now is one of them.
 */
export function streamCounts(objects: number, most: number, now: number | null): readonly number[] {
  const end = Math.min(Math.max(objects, 1), most);
  const all = end <= MOST_COUNTS ? Array.from({length: end}, (_, i) => i + 1) : [...LADDER, end];
  const counts = new Set(all.filter(count => count <= end));
  if (now !== null) counts.add(now);
  return [...counts].sort((a, b) => a - b);
}

function candidate(pane: Pane, streams: number | null, scheduler: string): Candidate | undefined {
  const changed = changedPane(pane, {scheduler, ...(streams === null ? {} : streamsSetting(pane, streams))});
  return changed === undefined ? undefined : {streams, scheduler, pane: changed};
}

/** With what goes with it: the server offers as many, and no more are used at first than there are. */
export function streamsSetting(pane: Pane, streams: number): {readonly [key: string]: number | null} {
  const first = 'firstStreams' in pane ? pane.firstStreams : null;
  return {
    streams,
    ...('serverStreams' in pane && {serverStreams: null}),
    ...(first !== null && {firstStreams: Math.min(first, streams)}),
  };
}

/** The pane with these settings; undefined where it cannot have them. */
export function changedPane(pane: Pane, settings: {readonly [key: string]: unknown}): Pane | undefined {
  const parsed = check(paneSettings, {...paneDocument(pane), ...settings});
  return parsed.ok ? parsed.value : undefined;
}

function streamsOf(pane: Pane): number | null {
  return 'streams' in pane ? pane.streams : null;
}

const MOST_COUNTS = 12;
/** Each about 1.4 times the one before. */
const LADDER = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45];
