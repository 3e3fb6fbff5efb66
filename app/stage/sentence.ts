import {ending} from '../metrics/completeness.ts';
import type {Eye} from '../quality/eye.ts';
import {countStates} from '../quality/states.ts';
import {measureVisual} from '../quality/visual.ts';
import {isMissing} from '../trace/failure.ts';
import type {Trace} from '../trace/trace.ts';
import {objectName} from '../trace/words.ts';

/** A run's panes, and what each is called in a sentence. */
export interface ComparedRun {
  readonly traces: readonly Trace[];
  readonly names: readonly string[];
}

/**
 * What was seen, when all is over: when each side had all pictures recognisable, and the whole page. The same words
 * for whoever is ahead, in the order of the panes; by bytes alone where nothing is measured.
 */
export function endSentence(run: ComparedRun, eye: Eye | null): string {
  return endSentences(run, eye).join(' ');
}

/** {@link endSentence} in parts: what was seen, the whole page, who did not get it. */
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

/** What can be seen at t, side by side: pictures as the eye sees them, or by bytes where nothing is measured. */
export function nowSentence({traces, names}: ComparedRun, eye: Eye | null, tNs: number): string {
  const counts = traces.map(trace =>
    eye === null ? countByBytes(trace, tNs) : countStates(trace, eye.quality, eye.thresholds, tNs),
  );
  const pictures = Math.max(0, ...counts.map(count => count.pictures));
  if (pictures === 0) return bytesSentence({traces, names}, tNs);
  const what = `${eye === null ? 'Begun' : 'Recognisable'} of ${pictures} picture${pictures === 1 ? '' : 's'}`;
  const seen = counts.map(({recognisable}) => recognisable);
  const complete = counts.map(count => count.complete);
  return `${what}: ${listOf(names, seen)}${leadText(names, seen)}. Complete: ${listOf(names, complete)}.`;
}

/** The longest that one lost packet has held up data by t on each side, and of how many objects. */
export function holdSentence({traces, names}: ComparedRun, tNs: number): string {
  const most = traces.map(trace => longestHold(trace, tNs));
  if (most.every(hold => hold === null)) return '';
  const texts = most.map((hold, pane) => `${names[pane]} ${hold === null ? 'none' : holdText(hold)}`);
  return `Held up longest by one lost packet so far: ${texts.join(', ')}.`;
}

/** `Whole page: TCP at 20.2 s, SCTP at 24.2 s; TCP is 4.0 s ahead.` */
function timesSentence(what: string, timesNs: readonly (number | null)[], names: readonly string[]): string {
  const texts = timesNs.map(
    (ns, pane) => `${names[pane]} ${ns === null ? 'never' : `at ${secondsText(ns)}`}`,
  );
  return `${what}: ${texts.join(', ')}${aheadText(timesNs, names)}.`;
}

function aheadText(timesNs: readonly (number | null)[], names: readonly string[]): string {
  const [first, ...others] = timesNs.flatMap(ns => ns ?? []).sort((a, b) => a - b);
  // the sentence says already who never came
  if (first === undefined || others.length === 0) return '';
  const ahead = names.filter((_, pane) => isEqual(timesNs[pane] ?? null, first));
  if (ahead.length === names.length) return '; equal to the eye';
  if (ahead.length > 1) return `; ${ahead.join(' and ')} are ahead`;
  return `; ${ahead[0]} is ${leadOf(first, others[0] ?? first)} ahead`;
}

/** What the times say that stand beside it: 20.2 and 24.2 s are 4.0 s apart. */
function leadOf(firstNs: number, secondNs: number): string {
  const shownNs = (Number.parseFloat(secondsText(secondNs)) - Number.parseFloat(secondsText(firstNs))) * 1e9;
  return secondsText(shownNs > 0 ? shownNs : secondNs - firstNs);
}

function isEqual(ns: number | null, firstNs: number): boolean {
  return ns !== null && ns - firstNs <= UNSEEN_SHARE * ns;
}

function bytesSentence({traces, names}: ComparedRun, tNs: number): string {
  const percents = traces.map((trace, pane) => {
    const size = trace.objects.reduce((sum, {bytes}) => sum + bytes, 0);
    return `${names[pane]} ${size === 0 ? 0 : Math.floor((100 * trace.totalBytesAt(tNs)) / size)} %`;
  });
  return `Of the page’s bytes: ${percents.join(', ')}.`;
}

/** What is known without decoding a picture: that some of it is there, or all. */
function countByBytes(trace: Trace, tNs: number) {
  const count = {pictures: 0, recognisable: 0, complete: 0};
  for (const [object, {url, failure}] of trace.objects.entries()) {
    if (!PICTURE.test(url) || isMissing(failure)) continue;
    count.pictures += 1;
    if (trace.bytesAt(object, tNs) > 0) count.recognisable += 1;
    if (trace.stateAt(object, tNs) === 'complete') count.complete += 1;
  }
  return count;
}

function listOf(names: readonly string[], counts: readonly number[]): string {
  // `SCTP 2 streams 5` would be misread
  const between = names.some(name => name.includes(' ')) ? ': ' : ' ';
  return counts.map((count, pane) => `${names[pane]}${between}${count}`).join(', ');
}

function leadText(names: readonly string[], counts: readonly number[]): string {
  const [most = 0, second = most] = [...counts].sort((a, b) => b - a);
  return most === second ? '' : `; ${names[counts.indexOf(most)]} shows ${most - second} more`;
}

interface LongHold {
  /** By name, if it is one. */
  readonly objects: string;
  readonly ns: number;
  readonly lostNs: number;
}

function longestHold(trace: Trace, tNs: number): LongHold | null {
  let longest: LongHold | null = null;
  for (const packet of trace.droppedPackets()) {
    const held = (trace.holdOf(packet)?.held ?? []).filter(({startNs}) => startNs < tNs);
    const ns = Math.max(0, ...held.map(({startNs, endNs}) => Math.min(endNs, tNs) - startNs));
    if (ns <= (longest?.ns ?? 0)) continue;
    const [first = 0, ...others] = new Set(held.map(({object}) => object));
    const objects = others.length === 0 ? objectName(trace, first) : `${others.length + 1} objects`;
    longest = {objects, ns, lostNs: trace.data.packets.fateNs[packet] ?? 0};
  }
  return longest;
}

function holdText({objects, ns, lostNs}: LongHold): string {
  return `${objects} for ${secondsText(ns)} (lost at ${secondsText(lostNs)})`;
}

/** `20.2 s`, `0.43 s`, `0.023 s`. */
function secondsText(ns: number): string {
  return `${(ns / 1e9).toFixed(ns < 0.1e9 ? 3 : ns < 1e9 ? 2 : 1)} s`;
}

/** Of the later time: a difference that a viewer does not see. */
const UNSEEN_SHARE = 0.02;
/** A trace has no content types. */
const PICTURE = /\.(jpe?g|png|gif|webp|avif|svg)$/i;
