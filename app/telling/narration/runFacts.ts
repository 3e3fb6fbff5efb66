import {firstAbove} from '../../base/order.ts';
import {joined} from '../../base/text.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {paintedFromNs, picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {cachedByTrace} from '../../run/trace/cachedByTrace.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {isPicture, secondsText} from '../../run/trace/traceTexts.ts';
import {type ComparedRun, endsText, MOST_NAMED} from './runSentences.ts';

// Short facts about a run, for questions that people ask when they see two panes.

/**
 * How many packets with data each pane has sent again until `tNs`: `Sent again: TCP 7 packets, SCTP 5.` If `tNs` is
 * infinite, it says that this is the whole run. Above {@link MOST_NAMED} panes it names only the panes with the most and
 * the fewest.
 */
export function sentAgainText({traces, names}: ComparedRun, tNs: number): string {
  const counts = traces.map(trace => firstAbove(resendTimesOf(trace), tNs));
  if (counts.every(count => count === 0)) return 'Nothing sent again.';
  const told = tNs === Number.POSITIVE_INFINITY ? 'Sent again in the whole run' : 'Sent again';
  if (names.length > MOST_NAMED) {
    const [most, fewest] = [Math.max(...counts), Math.min(...counts)];
    const packets = `${most} packet${most === 1 ? '' : 's'}`;
    const who = (count: number): string => {
      const those = names.filter((_, pane) => counts[pane] === count);
      return those.length > 2 ? `${those.length} of ${names.length} sides` : joined(those);
    };
    if (most === fewest) return `${told}: ${packets} on every side.`;
    return `${told}: most on ${who(most)}, ${packets}; fewest on ${who(fewest)}, ${fewest}.`;
  }
  const [first = 0, ...others] = counts;
  const rest = others.map((count, i) => `, ${names[i + 1]} ${count}`).join('');
  return `${told}: ${names[0]} ${first} packet${first === 1 ? '' : 's'}${rest}.`;
}

/**
 * When each pane has its first complete picture: `First complete picture: TCP at 9.1 s, SCTP at 24.9 s.` Up to `tNs`: a
 * pane without one is `not yet`, or `never` if its load has ended. Empty if the page has no pictures. Logos and icons do
 * not count, unless `eye` is null, which means that the pictures were not measured. Above {@link MOST_NAMED} panes it
 * names only the first and the last.
 */
export function firstPictureText({traces, names}: ComparedRun, eye: Eye | null, tNs: number): string {
  if (traces.every(trace => picturesIn(trace, eye).length === 0)) return '';
  if (names.length > MOST_NAMED) return `First complete picture: ${firstAndLastText({traces, names}, eye, tNs)}.`;
  const texts = traces.map((trace, pane) => {
    const atNs = firstPictureNs(trace, eye);
    if (atNs !== null && atNs <= tNs) return `${names[pane]} at ${secondsText(atNs)}`;
    return `${names[pane]} ${tNs < trace.data.endNs ? 'not yet' : 'never'}`;
  });
  return `First complete picture: ${texts.join(', ')}.`;
}

/** The first and the last pane with a complete picture, or the first one and how many have none. */
function firstAndLastText({traces, names}: ComparedRun, eye: Eye | null, tNs: number): string {
  const times = traces.map(trace => firstPictureNs(trace, eye));
  const without = traces.filter((_, pane) => (times[pane] ?? Number.POSITIVE_INFINITY) > tNs);
  if (without.length === 0) return endsText(times, names);
  const missing = without.every(({data}) => tNs >= data.endNs) ? 'never' : 'not yet';
  if (without.length === traces.length) return missing;
  const [first] = endsText(times, names).split('; ');
  return `${first}; ${missing} on ${without.length} of ${traces.length}`;
}

/** A pane that can have more streams than it has now. */
export interface FewStreams {
  /** The pane's number, from 0. */
  readonly pane: number;
  readonly streams: number;
  /** One stream for each object after the HTML, of which the last uses the HTML's stream. More would stay empty. */
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
 * Says that more streams would change nothing, if each pane with a setting `streams` has one for each object. Empty if
 * no pane has that setting or one has fewer.
 */
export function enoughStreamsText(run: ComparedRun, scenario: Scenario): string {
  const names = scenario.panes.flatMap((settings, pane) => ('streams' in settings ? (run.names[pane] ?? []) : []));
  if (names.length === 0 || fewStreamsOf(run, scenario) !== null) return '';
  return `More streams would change nothing: on ${names[0]} each object has one.`;
}

/**
 * Compares the page's times of a pane with its present streams and with {@link FewStreams.wanted} streams: `With 11
 * streams instead of 2, SCTP would be complete 3.1 s sooner.`
 */
export function moreStreamsText(few: FewStreams, name: string, now: Trace, more: Trace): string {
  const what = moreStreamsStart(few, name);
  if (more.data.outcome !== 'complete' || now.data.outcome !== 'complete')
    return more.data.outcome === now.data.outcome ? '' : `${what} ${endText(more)}.`;
  const byNs = now.data.endNs - more.data.endNs;
  if (Math.abs(byNs) <= UNSEEN_SHARE * now.data.endNs) return `${what} ${AT_THE_SAME_TIME}.`;
  return `${what} be complete ${secondsText(Math.abs(byNs))} ${byNs > 0 ? 'sooner' : 'later'}.`;
}

/** The longest usual text of {@link moreStreamsText}. It has the room of the text that is not computed yet. */
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

/** Viewers cannot see a difference below this share of the time. */
const UNSEEN_SHARE = 0.02;
