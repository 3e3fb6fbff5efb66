import {check} from '../../base/schema.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {streamsText} from '../../pipelines/settingTexts.ts';
import {paneDocument} from '../../run/scenario/document.ts';
import {DEFAULT_PANES, overPipeline, paneSettings} from '../../run/scenario/pane.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';

/** The pane of a scenario that the advice on streams is about. */
export interface AdvisedPane {
  /** The pane's index; null if no pane has streams. `pane` is then the first pane, changed to SCTP. */
  readonly number: number | null;
  readonly pane: Pane;
}

/** One way to load the page. */
export interface Candidate {
  /** The name in sentences and tables: `10 streams, round-robin`. */
  readonly name: string;
  /** The number of streams; null if the pipeline has no such setting. */
  readonly streams: number | null;
  /** The server's scheduler; null if the pipeline has no such setting. */
  readonly scheduler: string | null;
  readonly pane: Pane;
}

/** The first pane whose pipeline has a number of streams. If there is none: the first pane, changed to SCTP. */
export function advisedPane({panes}: Pick<Scenario, 'panes'>): AdvisedPane {
  const number = panes.findIndex(hasStreams);
  const own = panes[number];
  if (own !== undefined) return {number, pane: own};
  const [first] = panes;
  const usual = DEFAULT_PANES.find(hasStreams);
  if (first === undefined || usual === undefined) throw new RangeError('a scenario without panes');
  return {number: null, pane: overPipeline(first, usual.pipeline, undefined)};
}

/**
 * Returns the scenario's panes, with `pane` in the place of the advised one. If the scenario has no advised pane,
 * `pane` is added at the end; if there are already `most` panes, it replaces the last of them.
 */
export function withPane(
  {panes}: Pick<Scenario, 'panes'>,
  {number}: Pick<AdvisedPane, 'number'>,
  pane: Pane,
  most: number,
): readonly Pane[] {
  const place = number ?? Math.min(panes.length, most - 1);
  return [...panes.slice(0, place), pane, ...panes.slice(place + 1)];
}

/**
 * Returns a candidate for each number of streams in {@link streamCounts} and each scheduler, fewest streams first.
 * `objects` is the number of objects that the page's HTML names.
 */
export function candidatesOf(pane: Pane, objects: number): readonly Candidate[] {
  const {streams} = pipelineOf(pane.pipeline).settings;
  const counts = streams?.kind === 'number' ? streamCounts(objects, streams.most, streamsOf(pane)) : [];
  return counts.flatMap(count => schedulersOf(pane).flatMap(word => candidate(pane, count, word) ?? []));
}

/** The schedulers that a pane can have; empty if its pipeline has no such setting. */
export function schedulersOf({pipeline}: Pane): readonly string[] {
  const {scheduler} = pipelineOf(pipeline).settings;
  return scheduler?.kind === 'choice' ? scheduler.choices.map(([word]) => word) : [];
}

/**
 * The numbers of streams that are compared. The numbers end at the number of objects, because more streams change
 * nothing (N07 §4), or at `most` if that is smaller. A long range is represented by about a dozen numbers with growing
 * distances. The current number `now` is always among them.
 */
export function streamCounts(objects: number, most: number, now: number | null): readonly number[] {
  const end = Math.min(Math.max(objects, 1), most);
  const all = end <= MOST_COUNTS ? Array.from({length: end}, (_, i) => i + 1) : [...LADDER, end];
  const counts = new Set(all.filter(count => count <= end));
  if (now !== null) counts.add(now);
  return [...counts].sort((a, b) => a - b);
}

function candidate(pane: Pane, streams: number, scheduler: string): Candidate | undefined {
  const changed = changedPane(pane, {scheduler, ...streamsSetting(pane, streams)});
  const name = `${streamsText(streams)}, ${scheduler}`;
  return changed === undefined ? undefined : {name, streams, scheduler, pane: changed};
}

/**
 * The settings that give a pane this number of streams. The server offers the same number, and the number of streams
 * that are used until the HTML is complete (`firstStreams`) is lowered to `streams` if it is larger.
 */
export function streamsSetting(pane: Pane, streams: number): {readonly [key: string]: number | null} {
  const first = 'firstStreams' in pane ? pane.firstStreams : null;
  return {
    streams,
    ...('serverStreams' in pane && {serverStreams: null}),
    ...(first !== null && {firstStreams: Math.min(first, streams)}),
  };
}

/** The pane with these settings; undefined if it cannot have them. */
export function changedPane(pane: Pane, settings: {readonly [key: string]: unknown}): Pane | undefined {
  const parsed = check(paneSettings, {...paneDocument(pane), ...settings});
  return parsed.ok ? parsed.value : undefined;
}

/** Whether two panes have the same settings. */
export function isSamePane(a: Pane, b: Pane): boolean {
  return JSON.stringify(paneDocument(a)) === JSON.stringify(paneDocument(b));
}

function hasStreams(pane: Pane): boolean {
  return streamsOf(pane) !== null;
}

function streamsOf(pane: Pane): number | null {
  return 'streams' in pane ? pane.streams : null;
}

const MOST_COUNTS = 12;
/** The numbers of streams for a page with many objects. From 4 on, each is about 1.4 times the one before. */
const LADDER = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45];
