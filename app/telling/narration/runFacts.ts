import {firstAbove} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {paintedFromNs, picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import {pathLosses} from '../../run/scenario/pathLosses.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {cachedByTrace} from '../../run/trace/cachedByTrace.ts';
import {markedNs} from '../../run/trace/marks.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {isPicture, secondsText} from '../../run/trace/traceTexts.ts';
import type {ComparedRun} from './runSentences.ts';

// Short facts about a run, for questions that people ask when they see two panes.

/** How many packets with data a pane has sent again until `tNs`. */
export function sentAgainCount(trace: Trace, tNs: number): number {
  return firstAbove(resendTimesOf(trace), tNs);
}

/**
 * How many packets with data each pane has sent again until `tNs`: `Sent again: TCP 7 packets, SCTP 5.`, or `Nothing
 * sent again.` If `tNs` is infinite, `Sent again in the whole run` replaces `Sent again`. If queues marked packets, a
 * second sentence counts them: `Marked by the queue (ECN): TCP 0 packets, HTTP/2 4.`
 */
export function sentAgainText({traces, names}: ComparedRun, tNs: number): string {
  const counts = traces.map(trace => sentAgainCount(trace, tNs));
  const marked = traces.map(trace => firstAbove(markTimesOf(trace), tNs));
  const isAny = (numbers: readonly number[]): boolean => numbers.some(count => count > 0);
  const told = tNs === Number.POSITIVE_INFINITY ? 'Sent again in the whole run' : 'Sent again';
  const again = isAny(counts) ? `${told}: ${countsText(names, counts)}.` : 'Nothing sent again.';
  return isAny(marked) ? `${again} Marked by the queue (ECN): ${countsText(names, marked)}.` : again;
}

/** Writes a count for each pane: `TCP 7 packets, SCTP 5`. */
function countsText(names: readonly string[], [first = 0, ...others]: readonly number[]): string {
  const rest = others.map((count, i) => `, ${names[i + 1]} ${count}`).join('');
  return `${names[0]} ${first} packet${first === 1 ? '' : 's'}${rest}`;
}

/** When queues marked packets, in order, ns. */
const markTimesOf = cachedByTrace((trace: Trace): readonly number[] =>
  trace
    .markedPackets()
    .map(packet => markedNs(trace, packet))
    .sort((a, b) => a - b),
);

/**
 * When each pane has its first complete picture: `First complete picture: TCP at 9.1 s, SCTP at 24.9 s.` A pane that
 * has none at `tNs` gets `not yet`, or `never` if its load has ended. The text is empty if the page has no pictures.
 * Logos and icons do not count, unless `eye` is null, which means that the pictures were not measured.
 */
export function firstPictureText({traces, names}: ComparedRun, eye: Eye | null, tNs: number): string {
  if (!havePictures(traces, eye)) return '';
  const texts = traces.map((trace, pane) => `${names[pane]} ${firstPictureAt(trace, eye, tNs)}`);
  return `First complete picture: ${texts.join(', ')}.`;
}

/** When a pane has its first complete picture: `at 9.1 s`, `not yet` or `never`, as in {@link firstPictureText}. */
export function firstPictureAt(trace: Trace, eye: Eye | null, tNs: number): string {
  const atNs = firstPictureNs(trace, eye);
  if (atNs !== null && atNs <= tNs) return `at ${secondsText(atNs)}`;
  return tNs < trace.data.endNs ? 'not yet' : 'never';
}

/** Whether the page has pictures that count. */
export function havePictures(traces: readonly Trace[], eye: Eye | null): boolean {
  return traces.some(trace => picturesIn(trace, eye).length > 0);
}

/**
 * Says that the path loses packets but lost none in this run, so that the run shows nothing about losses. The text is
 * empty if a packet was lost, or if the path never loses packets.
 */
export function noLossText(traces: readonly Trace[], path: Pick<Scenario, 'path' | 'changes'>): string {
  if (pathLosses(path).length === 0 || traces.some(trace => trace.droppedPackets().length > 0)) return '';
  return 'With this seed no packet was lost, although the path loses some. The key N loads another seed.';
}

/** A pane that has fewer streams than the page has embedded objects. */
export interface FewStreams {
  /** The pane's number, from 0. */
  readonly pane: number;
  readonly streams: number;
  /**
   * The number of embedded objects, at least 1. With this number of streams, no two embedded objects share a stream.
   * One of them uses the stream of the HTML. More streams would stay empty.
   */
  readonly wanted: number;
}

/**
 * The first pane whose setting `streams` gives it too few streams for the objects of the page; null if there is none.
 */
export function fewStreamsOf({traces}: Pick<ComparedRun, 'traces'>, {panes}: Scenario): FewStreams | null {
  for (const [pane, settings] of panes.entries()) {
    const wanted = Math.max((traces[pane]?.objects.length ?? 0) - 1, 1);
    if (!('streams' in settings)) continue;
    const streams = pipelineOf(settings.pipeline).streamsOf(settings);
    if (streams < wanted) return {pane, streams, wanted};
  }
  return null;
}

/**
 * Says that more streams would change nothing. The text is empty if no pane has the setting `streams`, or if a pane
 * with this setting has fewer streams than {@link FewStreams.wanted}.
 */
export function enoughStreamsText(run: ComparedRun, scenario: Scenario): string {
  const names = scenario.panes.flatMap((settings, pane) => ('streams' in settings ? (run.names[pane] ?? []) : []));
  if (names.length === 0 || fewStreamsOf(run, scenario) !== null) return '';
  return `More streams would change nothing: on ${names[0]} each object has one.`;
}

/**
 * Says how much sooner or later a pane would complete the page if it had {@link FewStreams.wanted} streams instead of
 * its present number: `With 11 streams instead of 2, SCTP would be complete 3.1 s sooner.` The text is empty if neither
 * load is complete and both have the same outcome.
 */
export function moreStreamsText(few: FewStreams, name: string, now: Trace, more: Trace): string {
  const what = moreStreamsStart(few, name);
  if (more.data.outcome !== 'complete' || now.data.outcome !== 'complete')
    return more.data.outcome === now.data.outcome ? '' : `${what} ${endText(more)}.`;
  const byNs = now.data.endNs - more.data.endNs;
  if (Math.abs(byNs) <= UNSEEN_SHARE * now.data.endNs) return `${what} ${AT_THE_SAME_TIME}.`;
  return `${what} be complete ${secondsText(Math.abs(byNs))} ${byNs > 0 ? 'sooner' : 'later'}.`;
}

/** The longest usual text of {@link moreStreamsText}. It reserves the room for that text while it is computed. */
export function moreStreamsRoom(few: FewStreams, name: string): string {
  return `${moreStreamsStart(few, name)} ${AT_THE_SAME_TIME}.`;
}

function moreStreamsStart({streams, wanted}: FewStreams, name: string): string {
  return `With ${wanted} streams instead of ${streams}, ${name} would`;
}

const AT_THE_SAME_TIME = 'be complete at about the same time';

function endText({data}: Trace): string {
  return data.outcome === 'complete' ? `be complete at ${secondsText(data.endNs)}` : 'not be complete';
}

const resendTimesOf = cachedByTrace((trace: Trace): readonly number[] =>
  trace
    .retransmissions()
    .map(packet => trace.data.packets.sentNs[packet] ?? 0)
    .sort((a, b) => a - b),
);

function firstPictureNs(trace: Trace, eye: Eye | null): number | null {
  const times = picturesIn(trace, eye).flatMap(object => trace.objects[object]?.completeNs ?? []);
  if (times.length === 0) return null;
  return Math.max(Math.min(...times), eye === null ? 0 : paintedFromNs(trace, eye.quality));
}

/** The objects that count as pictures. */
function picturesIn(trace: Trace, eye: Eye | null): readonly number[] {
  if (eye !== null) return [...picturesOf(trace, eye.quality)].map(([object]) => object);
  return trace.objects.flatMap(({url}, object) => (isPicture(url) ? object : []));
}

/** Viewers cannot see a difference below this share of the load's duration. */
const UNSEEN_SHARE = 0.02;
