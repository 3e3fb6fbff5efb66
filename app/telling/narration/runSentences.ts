import {joined} from '../../base/text.ts';
import {isMissing} from '../../page/failure.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {ending} from '../../run/metrics/runNotes.ts';
import {countStates, type Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import type {HeldObject} from '../../run/trace/blocking.ts';
import {cachedByTrace} from '../../run/trace/cachedByTrace.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {isLeftOut} from '../../run/trace/traceData.ts';
import {isPicture, objectName, secondsText} from '../../run/trace/traceTexts.ts';

/** The panes of a run, and their names as sentences use them. */
export interface ComparedRun {
  readonly traces: readonly Trace[];
  readonly names: readonly string[];
}

/**
 * States the result of a run: when all pictures were recognisable in each pane, and when the whole page was complete.
 * Panes are named in their order. Above {@link MOST_NAMED} panes, only the first and the last to reach each state are
 * named. The sentence about pictures is left out if the page has none, or if `eye` is null, which means that they were
 * not measured.
 */
export function endSentence(run: ComparedRun, eye: Eye | null): string {
  return endSentences(run, eye).join(' ');
}

/** The sentences of {@link endSentence}: about the pictures, the whole page, and the panes that did not complete it. */
export function endSentences({traces, names}: ComparedRun, eye: Eye | null): readonly string[] {
  const whole = traces.map(({data}) => (data.outcome === 'complete' ? data.endNs : null));
  const sentences = [timesSentence('Whole page', whole, names)];
  if (eye !== null) {
    const {quality, thresholds} = eye;
    const times = traces.map(trace => measureVisual(trace, quality, thresholds).recognisableMs);
    const pictures = Math.max(0, ...traces.map(trace => countStates(trace, quality, thresholds, 0).pictures));
    const what = pictures === 1 ? 'The picture recognisable' : `All ${pictures} pictures recognisable`;
    const timesNs = times.map(ms => (ms === null ? null : ms * 1e6));
    if (pictures > 0) sentences.unshift(timesSentence(what, timesNs, names));
  }
  const unfinished = traces.flatMap(({data: {outcome, reason}}, pane) =>
    outcome === 'complete' ? [] : [`${names[pane]} did not get the whole page (${ending(outcome, reason)}).`],
  );
  return [...sentences, ...unfinished];
}

/** The state of a pane at `tNs`: `9 of 10 pictures recognisable, 6 good, 0 complete; page not complete yet`. */
export function sightText(trace: Trace, eye: Eye | null, tNs: number): string {
  const {pictures, recognisable, good, complete} = countAt(trace, eye, tNs);
  const what = `${recognisable} of ${pictures} picture${pictures === 1 ? '' : 's'}`;
  const seen =
    pictures === 0
      ? `${bytesPercent(trace, tNs)} % of the bytes`
      : `${what} ${eye === null ? 'begun' : `recognisable, ${good} good`}, ${complete} complete`;
  return `${seen}; ${wholeText(trace, tNs)}`;
}

/** A shorter {@link sightText}, which does not say whether the page is complete. */
export function shortSightText(trace: Trace, eye: Eye | null, tNs: number): string {
  const {pictures, recognisable, good, complete} = countAt(trace, eye, tNs);
  if (pictures === 0) return `${bytesPercent(trace, tNs)} % of the bytes`;
  const seen = eye === null ? 'begun' : `recognisable, ${good} good`;
  return `${recognisable} of ${pictures} ${seen}, ${complete} complete`;
}

/**
 * The packets that a pane lost until `tNs`, and the one of them that caused the longest delay: `lost: 3 with data, 2
 * without; the one at 5.2 s held up 3 objects for 2.8 s`.
 */
export function lossText(trace: Trace, tNs: number): string {
  const lost = lossesOf(trace).filter(({atNs}) => atNs <= tNs);
  if (lost.length === 0) return 'nothing lost yet';
  const withData = lost.filter(({hasData}) => hasData).length;
  const counts = `lost: ${withData} with data, ${lost.length - withData} without`;
  const hold = longestHold(trace, lost, tNs);
  return hold === null ? counts : `${counts}; the one at ${secondsText(hold.lostNs)} ${holdText(hold)}`;
}

/**
 * Says which pane is ahead at `tNs`, by the numbers of recognisable and of complete pictures: `SCTP shows 4 pictures
 * more; TCP has 4 more complete.` If one pane is ahead in both: `TCP shows 1 picture more and has 1 more complete.`
 * If `eye` is null, a picture counts as recognisable when its first bytes have arrived. If the page has no pictures,
 * panes are compared by their share of the bytes.
 */
export function leadSentence({traces, names}: ComparedRun, eye: Eye | null, tNs: number): string {
  if (traces.length < 2) return '';
  const counts = traces.map(trace => countAt(trace, eye, tNs));
  const lead = (shown: readonly number[]): Lead | null => leadOf(shown, names);
  if (counts.every(({pictures}) => pictures === 0)) {
    const bytes = lead(traces.map(trace => bytesPercent(trace, tNs)));
    return bytes === null
      ? 'All sides have the same share of the bytes.'
      : capitalised(`${bytes.who} ${bytes.has} ${bytes.by} % of the bytes more.`);
  }
  const shown = lead(counts.map(({recognisable}) => recognisable));
  const complete = lead(counts.map(count => count.complete));
  if (counts.every(({recognisable}) => recognisable === 0)) return 'No picture can be recognised yet.';
  if (shown === null && complete === null) return 'All sides show the same number of pictures.';
  const shows =
    shown === null
      ? 'All sides show the same number of pictures'
      : `${shown.who} ${shown.shows} ${shown.by} picture${shown.by === 1 ? '' : 's'} more`;
  if (shown !== null && shown.who === complete?.who)
    return capitalised(`${shows} and ${complete.has} ${complete.by} more complete.`);
  const has =
    complete === null ? 'the same number is complete' : `${complete.who} ${complete.has} ${complete.by} more complete`;
  return capitalised(`${shows}; ${has}.`);
}

/**
 * If some panes have a single stream and others have independent streams or connections, explains how a lost packet
 * affects both kinds of panes. Otherwise the text is empty. If no packet was lost, the text is about the order of
 * sending only, or empty.
 */
export function lessonSentence({traces, names}: ComparedRun, panes: readonly Pane[]): string {
  const streams = panes.map(pane => pipelineOf(pane.pipeline).streamsOf(pane));
  if (panes.length > 2) return lessonOfMany(traces, names, panes, streams);
  const [inOrder, apart] = [streams.indexOf(1), streams.findIndex(count => count > 1)];
  const [single, many] = [panes[inOrder], panes[apart]];
  if (panes.length !== 2 || single === undefined || many === undefined) return '';
  const [one, other] = [names[inOrder], names[apart]];
  // HTTP/2 interleaves objects on its one ordered stream of bytes, too
  const interleaves = pipelineOf(many.pipeline).interleaves(many) && !pipelineOf(single.pipeline).interleaves(single);
  if (isLossless(traces))
    return interleaves ? `${one} sends one object after another, ${other} interleaves them; no packet is lost.` : '';
  if (!interleaves)
    return `On ${one} a lost packet stops all data behind it; on ${other} only the packet’s ${lane([many])} waits.`;
  return (
    `${one} sends one object after another, and a lost packet stops all data behind it; ` +
    `${other} interleaves them, and only the packet’s ${lane([many])} waits.`
  );
}

/** What waits for a lost packet in these panes, none of which has a single stream. */
function lane(panes: readonly Pane[]): string {
  const hasConnections = panes.map(pane => 'connections' in pane);
  if (!hasConnections.includes(true)) return 'stream';
  return hasConnections.includes(false) ? 'stream or connection' : 'connection';
}

/** Whether no packet was lost. It only counts losses. To find their effects would take long if there are many. */
function isLossless(traces: readonly Trace[]): boolean {
  return traces.every(trace => trace.droppedPackets().length === 0);
}

/** The lesson for more than two panes. It omits their orders of sending, which would make the sentence too long. */
function lessonOfMany(
  traces: readonly Trace[],
  names: readonly string[],
  panes: readonly Pane[],
  streams: readonly number[],
): string {
  const inOrder = names.filter((_, i) => streams[i] === 1);
  const isApart = (_: unknown, i: number): boolean => (streams[i] ?? 0) > 1;
  const apart = names.filter(isApart);
  if (inOrder.length === 0 || apart.length === 0 || isLossless(traces)) return '';
  const what = lane(panes.filter(isApart));
  return `On ${joined(inOrder)} a lost packet stops all data behind it; on ${joined(apart)} only the packet’s ${what} waits.`;
}

/**
 * The longest delay that a single lost packet caused in each pane: `Longest delay by one lost packet: 7 objects on TCP
 * for 0.27 s, lake.jpg on SCTP for 0.05 s, nothing on QUIC.` Above {@link MOST_NAMED} panes, the sentence gives only
 * the shortest and the longest of these delays. The sentence is empty if nothing was delayed. It is also empty for
 * fewer than three panes, because the line of each pane then shows the delay ({@link lossText}).
 */
export function holdsSentence({traces, names}: ComparedRun): string {
  const holds = traces.map(trace => longestHold(trace, lossesOf(trace), Number.POSITIVE_INFINITY));
  if (traces.length < 3 || holds.every(hold => hold === null)) return '';
  const order = [...names.keys()];
  if (names.length > MOST_NAMED) order.sort((a, b) => (holds[b]?.ns ?? 0) - (holds[a]?.ns ?? 0));
  const texts = order.map(pane => {
    const hold = holds[pane] ?? null;
    return hold === null
      ? `nothing on ${names[pane]}`
      : `${hold.objects} on ${names[pane]} for ${secondsText(hold.ns)}`;
  });
  const what = 'Longest delay by one lost packet';
  return names.length > MOST_NAMED ? `${what}: from ${texts.at(-1)} to ${texts[0]}.` : `${what}: ${texts.join(', ')}.`;
}

/** The times of an event: `Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.` */
function timesSentence(what: string, timesNs: readonly (number | null)[], names: readonly string[]): string {
  if (names.length > MOST_NAMED) return `${what}: ${endsText(timesNs, names)}.`;
  const texts = timesNs.map((ns, pane) => `${names[pane]} ${ns === null ? 'never' : `at ${secondsText(ns)}`}`);
  return `${what}: ${texts.join(', ')}${aheadText(timesNs, names)}.`;
}

/** The first and the last of many panes: `SCTP first, at 20.2 s; TCP last, at 24.2 s`. */
function endsText(timesNs: readonly (number | null)[], names: readonly string[]): string {
  const order = [...names.keys()].sort((a, b) => (timesNs[a] ?? NEVER_NS) - (timesNs[b] ?? NEVER_NS));
  const text = (pane: number, place: string): string => {
    const ns = timesNs[pane] ?? null;
    return ns === null ? `${names[pane]} never` : `${names[pane]} ${place}, at ${secondsText(ns)}`;
  };
  return `${text(order[0] ?? 0, 'first')}; ${text(order.at(-1) ?? 0, 'last')}`;
}

function aheadText(timesNs: readonly (number | null)[], names: readonly string[]): string {
  const [first, ...others] = timesNs.flatMap(ns => ns ?? []).sort((a, b) => a - b);
  // the sentence already says which panes have no time
  if (first === undefined || others.length === 0) return '';
  const ahead = names.filter((_, pane) => isEqual(timesNs[pane] ?? null, first));
  if (ahead.length === names.length) return '; no visible difference';
  if (ahead.length > 1) return `; ${ahead.join(' and ')} are ahead`;
  return `; ${ahead[0]} is ${leadText(first, others[0] ?? first)} ahead`;
}

/** The lead in seconds. It is the difference of the printed times: 20.2 and 24.2 s are 4.0 s apart. */
function leadText(firstNs: number, secondNs: number): string {
  const shownNs = (Number.parseFloat(secondsText(secondNs)) - Number.parseFloat(secondsText(firstNs))) * 1e9;
  return secondsText(shownNs > 0 ? shownNs : secondNs - firstNs);
}

function isEqual(ns: number | null, firstNs: number): boolean {
  return ns !== null && ns - firstNs <= UNSEEN_SHARE * ns;
}

function bytesPercent(trace: Trace, tNs: number): number {
  const size = trace.objects.reduce((sum, {bytes}) => sum + bytes, 0);
  return size === 0 ? 0 : Math.floor((100 * trace.totalBytesAt(tNs)) / size);
}

function wholeText({data: {outcome, endNs}}: Trace, tNs: number): string {
  if (tNs < endNs) return 'page not complete yet';
  return outcome === 'complete' ? `page complete at ${secondsText(endNs)}` : 'page never complete';
}

function countAt(trace: Trace, eye: Eye | null, tNs: number) {
  return eye === null ? countByBytes(trace, tNs) : countStates(trace, eye.quality, eye.thresholds, tNs);
}

/** Counts pictures that were not measured. A picture counts as recognisable when its first bytes have arrived. */
function countByBytes(trace: Trace, tNs: number) {
  const count = {pictures: 0, recognisable: 0, good: 0, complete: 0};
  const isComplete = trace.data.outcome === 'complete';
  for (const [object, each] of trace.objects.entries()) {
    if (!isPicture(each.url) || isMissing(each.failure) || (isComplete && isLeftOut(each))) continue;
    count.pictures += 1;
    if (trace.bytesAt(object, tNs) > 0) count.recognisable += 1;
    if (trace.stateAt(object, tNs) === 'complete') count.complete += 1;
  }
  return count;
}

/** The lead of one pane, or of several panes that are equal. */
interface Lead {
  readonly who: string;
  readonly has: 'has' | 'have';
  readonly shows: 'shows' | 'show';
  /** The lead over the next pane. */
  readonly by: number;
}

/** The lead of the panes with the highest count; null if all panes are equal. */
function leadOf(counts: readonly number[], names: readonly string[]): Lead | null {
  const most = Math.max(...counts);
  const rest = counts.filter(count => count < most);
  if (rest.length === 0) return null;
  const ahead = names.filter((_, side) => counts[side] === most);
  const verbs = ahead.length === 1 ? ({has: 'has', shows: 'shows'} as const) : ({has: 'have', shows: 'show'} as const);
  const behind = names.filter((_, side) => counts[side] !== most);
  // with many panes the text names the smaller group
  const who = ahead.length > 2 && behind.length < ahead.length ? `all but ${joined(behind)}` : joined(ahead);
  return {who, ...verbs, by: most - Math.max(...rest)};
}

/** Capitalises `all` at the beginning. The names of pipelines begin with a capital already. */
function capitalised(sentence: string): string {
  return sentence.replace(/^all\b/, 'All');
}

/** A lost packet, and the data that waited for it. */
interface Loss {
  readonly atNs: number;
  readonly hasData: boolean;
  readonly held: readonly HeldObject[];
}

/** The losses of a trace in order of time. The result is cached, because every frame needs it. */
const lossesOf = cachedByTrace((trace: Trace): readonly Loss[] =>
  trace
    .droppedPackets()
    .map(packet => ({
      atNs: trace.data.packets.fateNs[packet] ?? 0,
      hasData: trace.objectsOf(packet).length > 0,
      held: trace.blockingOf(packet)?.held ?? [],
    }))
    .sort((a, b) => a.atNs - b.atNs),
);

/** The longest delay that a lost packet caused. */
interface LongHold {
  /** The delayed object's name, or the number of delayed objects. If some objects still wait, only these count. */
  readonly objects: string;
  /** The duration of the delay. */
  readonly ns: number;
  readonly lostNs: number;
  /** The start of the earliest wait that still lasts, ns; null if all waits are over. */
  readonly sinceNs: number | null;
}

/** The longest delay until `tNs` that one of the packets `lost` caused; null if none caused a delay. */
function longestHold(trace: Trace, lost: readonly Loss[], tNs: number): LongHold | null {
  let [longest, ns]: [Loss | null, number] = [null, 0];
  for (const loss of lost) {
    for (const {startNs, endNs} of loss.held) {
      const own = Math.min(endNs, tNs) - startNs;
      if (own > ns) [longest, ns] = [loss, own];
    }
  }
  if (longest === null) return null;
  const held = longest.held.filter(({startNs}) => startNs < tNs);
  const lasting = held.filter(({endNs}) => endNs > tNs);
  const isOver = lasting.length === 0;
  const [first = 0, ...others] = new Set((isOver ? held : lasting).map(({object}) => object));
  const objects = others.length === 0 ? objectName(trace, first) : `${others.length + 1} objects`;
  const sinceNs = isOver ? null : Math.min(...lasting.map(({startNs}) => startNs));
  return {objects, ns, lostNs: longest.atNs, sinceNs};
}

function holdText({objects, ns, sinceNs}: LongHold): string {
  return sinceNs === null
    ? `held up ${objects} for ${secondsText(ns)}`
    : `holds up ${objects} since ${secondsText(sinceNs)}`;
}

/** Viewers cannot see a difference below this share of the later time. */
const UNSEEN_SHARE = 0.02;

/** The largest number of panes for which a sentence gives all times. More would not fit in a line. */
const MOST_NAMED = 4;
/** Stands for a missing time and sorts after every time. It is finite, so that the difference of two is not NaN. */
const NEVER_NS = Number.MAX_SAFE_INTEGER;
