import {joined} from '../../base/text.ts';
import type {Pane} from '../../pipelines/index.ts';
import {effectsOf, oneLossSentence} from '../../run/cause/effect.ts';
import {ending} from '../../run/metrics/runNotes.ts';
import {picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {hasOwnDrops} from '../../run/scenario/paneDrops.ts';
import {runEndNs, type Trace} from '../../run/trace/trace.ts';
import {isPicture, secondsText} from '../../run/trace/traceTexts.ts';
import {type ComparedRun, endSentence, leadSentence, lessonSentence} from './runSentences.ts';

/** The facts that the sentence above the panes is made of. */
export interface LessonRun extends ComparedRun {
  readonly panes: readonly Pane[];
  /** Whether the panes have equal paths and their losses are known, so that the effects of losses can be compared. */
  readonly isAlike: boolean;
  /** The measured quality of the pictures, with its thresholds; null if the pictures were not measured. */
  readonly eye: Eye | null;
}

export interface LessonLine {
  /** The sentence at a run time, ns. */
  readonly at: (tNs: number) => string;
  /**
   * A text at least as long as any sentence about complete loads. It reserves the room, so that nothing moves when the
   * sentence changes.
   */
  readonly longest: string;
}

/**
 * The sentence that says what there is to see at t. Until a picture can be recognised (on a page without pictures:
 * until the first bytes arrive), it is the {@link lessonSentence}, if there is one. After that, it says which pane is
 * ahead. From the end of the run on, it says when the pages were complete.
 *
 * Before the end, sentences about losses replace this sentence if {@link LessonRun.isAlike} is true. While data waits
 * for a lost packet, and for `lingerNs` after that, the sentence says how many pictures (or objects) wait or waited in
 * each pane. If each pane loses only one packet, and no pane has the setting `drop`, the {@link oneLossSentence} comes
 * last, unless it is empty. It is shown from the time when these packets are repaired until the end, except while data
 * waits.
 */
export function lessonLine(run: LessonRun, lingerNs: number): LessonLine {
  const {traces, names, panes, isAlike, eye} = run;
  const lesson = isAlike ? lessonSentence(run, panes) : '';
  // effects are computed only if each pane lost a single packet, because the effects of many losses take long to find
  const hasOwn = hasOwnDrops({panes});
  const isOneLoss = isAlike && !hasOwn && traces.every(trace => trace.droppedPackets().length === 1);
  const oneLoss = isOneLoss ? oneLossSentence(traces, names) : '';
  const repairedNs = Math.max(...(oneLoss === '' ? [] : traces.flatMap(effectsOf).map(({endNs}) => endNs)));
  const noun = traces.every(areAllPictures) ? 'picture' : 'object';
  let end: string | undefined;
  const textOf = (counts: readonly number[], tense: Tense, packets: string): string =>
    waitsText(names, counts, {tense, packets, noun});
  const endNs = runEndNs(traces);
  const at = (tNs: number): string => {
    if (tNs >= endNs) {
      end ??= resultText(run);
      return end;
    }
    if (isAlike) {
      const packets = hasOwn ? OWN_LOSS : oneLoss === '' ? 'a lost packet' : 'the lost packet';
      const now = traces.map(trace => waitingIn(trace, tNs, tNs));
      if (now.some(count => count > 0)) return textOf(now, 'now', packets);
      if (oneLoss !== '' && tNs >= repairedNs) return oneLoss;
      const before = traces.map(trace => waitingIn(trace, tNs - lingerNs, tNs));
      if (before.some(count => count > 0)) return textOf(before, 'past', packets);
    }
    const lead = leadSentence(run, eye, tNs);
    const isNothingSeen = traces.every(trace => trace.totalBytesAt(tNs) === 0) || lead === NOTHING_YET;
    return isNothingSeen && lesson !== '' ? lesson : lead;
  };
  const most = isAlike ? names.map((_, pane) => MANY + pane) : [];
  const all = [
    lesson,
    oneLoss,
    longestResult(names, eye !== null),
    longestLead(names),
    isAlike ? textOf(most, 'now', hasOwn ? OWN_LOSS : 'the lost packet') : '',
  ];
  return {at, longest: all.reduce((a, b) => (b.length > a.length ? b : a), '')};
}

function areAllPictures({objects}: Trace): boolean {
  return objects.every(({url}, i) => i === 0 || isPicture(url));
}

/**
 * The number of objects whose data waited for earlier data at some time from `fromNs` to `toNs`. Only waits that began
 * after the first loss count.
 */
function waitingIn(trace: Trace, fromNs: number, toNs: number): number {
  const firstLossNs = firstLossOf(trace);
  let count = 0;
  for (let object = 0; object < trace.objects.length; object++) {
    const isWaiting = trace
      .blockedOf(object)
      .some(({startNs, endNs}) => startNs <= toNs && endNs > fromNs && startNs >= firstLossNs);
    if (isWaiting) count += 1;
  }
  return count;
}

/**
 * When the trace lost its first packet, ns. Infinite if it lost none. A wait that began before this time has another
 * cause: the path reordered packets.
 */
function firstLossOf(trace: Trace): number {
  const {fateNs} = trace.data.packets;
  return trace
    .droppedPackets()
    .reduce((first, packet) => Math.min(first, fateNs[packet] ?? 0), Number.POSITIVE_INFINITY);
}

type Tense = 'now' | 'past';

interface WaitsText {
  readonly tense: Tense;
  readonly packets: string;
  readonly noun: 'picture' | 'object';
}

/**
 * Says how many objects wait in each pane: `Now a lost packet holds up 7 pictures on HTTP/1.1 over TCP, 1 on HTTP over
 * SCTP.` If there are more than two panes, panes with the same number of objects are named together.
 */
function waitsText(names: readonly string[], counts: readonly number[], {tense, packets, noun}: WaitsText): string {
  const counted = (count: number): string => `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
  const groups = new Map<number, string[]>();
  for (const [i, name] of names.entries()) groups.set(counts[i] ?? 0, [...(groups.get(counts[i] ?? 0) ?? []), name]);
  const sides: readonly (readonly [count: number, who: string])[] =
    names.length < 3
      ? names.map((name, i) => [counts[i] ?? 0, name])
      : [...groups].sort(([a], [b]) => b - a).map(([count, who]) => [count, count === 0 ? 'the others' : joined(who)]);
  const texts = sides.map(([count, who], i) => `${i === 0 ? counted(count) : count === 0 ? 'none' : count} on ${who}`);
  const told = tense === 'now' ? `now ${packets} holds up` : `${packets} held up`;
  return `${told.charAt(0).toUpperCase()}${told.slice(1)} ${texts.join(', ')}.`;
}

/** How sentences name the lost packet if some panes drop packets that are not lost in the other panes. */
const OWN_LOSS = 'a lost packet (the sides lose different packets)';

/** A text at least as long as any {@link leadSentence} of panes with these names. */
function longestLead(names: readonly string[]): string {
  if (names.length < 2) return '';
  const most = Math.max(1, Math.floor(names.length / 2));
  const who = joined([...names].sort((a, b) => b.length - a.length).slice(0, most));
  return `all but ${who} show ${MANY} pictures more; all but ${who} have ${MANY} more complete.`;
}

/**
 * The result: `HTTP/1.1 over TCP: all pictures recognisable at 24.0 s, page complete at 24.6 s.` for each pane. If
 * there are more than two panes, no pictures, or no measured quality, the result leaves out the pictures and is about
 * the whole page only.
 */
function resultText({traces, names, eye}: LessonRun): string {
  const pictures = eye === null ? 0 : Math.max(...traces.map(trace => picturesOf(trace, eye.quality).length));
  if (eye === null || pictures === 0 || traces.length > 2) return endSentence({traces, names}, null);
  const sides = traces.map((trace, pane) => {
    const {recognisableMs} = measureVisual(trace, eye.quality, eye.thresholds);
    const seen = recognisableMs === null ? 'never' : `at ${secondsText(recognisableMs * 1e6)}`;
    const {outcome, reason, endNs} = trace.data;
    const whole = outcome === 'complete' ? `at ${secondsText(endNs)}` : `never (${ending(outcome, reason)})`;
    return `${names[pane]}: all pictures recognisable ${seen}, page complete ${whole}.`;
  });
  return sides.join(' ');
}

/** A text at least as long as {@link resultText} for complete loads of panes with these names. */
function longestResult(names: readonly string[], hasPictures: boolean): string {
  const [one = '', two = one] = [...names].sort((a, b) => b.length - a.length);
  if (hasPictures && names.length < 3)
    return names.map(name => `${name}: all pictures recognisable at 90.0 s, page complete at 90.0 s.`).join(' ');
  if (names.length > 4) return `Whole page: ${one} first, at 90.0 s; ${two} last, at 90.0 s.`;
  const ahead = names.length < 2 ? '' : `; ${names.length > 2 ? `${one} and ${two} are` : `${one} is 90.0 s`} ahead`;
  return `Whole page: ${names.map(name => `${name} at 90.0 s`).join(', ')}${ahead}.`;
}

/** What {@link leadSentence} says before anything can be recognised. */
const NOTHING_YET = 'No picture can be recognised yet.';

/** A number with as many digits as usual counts of pictures. */
const MANY = 90;
