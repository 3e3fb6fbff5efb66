import {firstAbove} from '../../base/order.ts';
import {countText, showName} from '../../base/text.ts';
import {failureText} from '../../page/failure.ts';
import {ending} from '../../run/metrics/runNotes.ts';
import {picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {describeChange} from '../../run/scenario/describe.ts';
import {handOverTimesNs} from '../../run/scenario/handover.ts';
import {pathAt, type Scenario} from '../../run/scenario/scenario.ts';
import {DIRECTION} from '../../run/trace/columns.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {durationText, fileName, objectName} from '../../run/trace/traceTexts.ts';

/** A text for viewers about an event or a state of a load. */
export interface Caption {
  readonly atNs: number;
  readonly text: string;
  /** The run time at which the state ends, ns. Undefined if the caption is about an event. */
  readonly untilNs?: number;
}

/**
 * Returns the captions of one pane's load in order of time. If several share a time, the most important comes last.
 * Captions about how the page looks need `eye`, the measured quality of its pictures.
 */
export function captionsOf(trace: Trace, eye: Eye | null = null): readonly Caption[] {
  const seen = eye === null ? [] : sights(trace, eye);
  return [...waits(trace), ...losses(trace), ...seen, ...milestones(trace, eye)].sort((a, b) => a.atNs - b.atNs);
}

/**
 * Returns a caption for each timed change of the path, with the settings before and after. All panes share the path.
 */
export function changeCaptions(scenario: Scenario): readonly Caption[] {
  return [...new Set(scenario.changes.map(({atMs}) => atMs * 1e6))]
    .map(atNs => ({atNs, text: changeText(scenario, atNs)}))
    .filter(({text}) => text !== '');
}

function changeText(scenario: Scenario, atNs: number): string {
  const text = describeChange(pathAt(scenario, atNs - 1), pathAt(scenario, atNs));
  if (!handOverTimesNs(scenario).includes(Math.round(atNs))) return text;
  return text === '' ? 'hand-over to another path' : `hand-over: ${text}`;
}

/**
 * Returns a function that maps a run time, ns, to the text of the caption line. The text is that of the latest caption
 * that applies, or empty. The caption of an event applies for `lingerNs`, and that of a state until the state ends.
 */
export function captionLine(captions: readonly Caption[], lingerNs: number): (tNs: number) => string {
  const times = captions.map(({atNs}) => atNs);
  const isShown = ({atNs, untilNs}: Caption, tNs: number): boolean =>
    untilNs === undefined ? tNs - atNs <= lingerNs : tNs < untilNs;
  return tNs => {
    const latest = captions.slice(0, firstAbove(times, tNs)).findLast(caption => isShown(caption, tNs));
    return latest?.text ?? '';
  };
}

function milestones(trace: Trace, eye: Eye | null): readonly Caption[] {
  const {data} = trace;
  // bare datagrams need no connection
  const connected = !data.setupNs ? [] : [{atNs: data.setupNs, text: 'connected'}];
  const failed = data.objects.flatMap(({failedNs, url, failure}) =>
    failedNs === null || failure === null
      ? []
      : [{atNs: failedNs, text: `${showName(fileName(url), LONGEST_NAME)} failed: ${failureText(failure)}`}],
  );
  const end = {
    atNs: data.endNs,
    text:
      data.outcome === 'complete'
        ? `page complete${speedIndexText(trace, eye)}`
        : `no page time (${ending(data.outcome, data.reason)})`,
  };
  return [...connected, ...failed, end];
}

/** The end of the caption for a complete page: the Speed Index, or an empty text if it is not known. */
function speedIndexText(trace: Trace, eye: Eye | null): string {
  const speedIndexMs = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds).speedIndexMs;
  return speedIndexMs === null ? '' : `, Speed Index ${durationText(speedIndexMs * 1e6, 1)}`;
}

/**
 * Captions for when all pictures became recognisable and good, and when the page was visually 85 % and 100 % complete.
 */
function sights(trace: Trace, {quality, thresholds}: Eye): readonly Caption[] {
  const {length} = picturesOf(trace, quality);
  const {recognisableMs, goodMs, visuallyCompleteMs} = measureVisual(trace, quality, thresholds);
  const at = (ms: number | null, text: (time: string) => string): readonly Caption[] =>
    ms === null ? [] : [{atNs: ms * 1e6, text: text(durationText(ms * 1e6, 1))}];
  return [
    ...at(visuallyCompleteMs[85], () => 'visually 85 % complete'),
    ...at(visuallyCompleteMs[100], () => 'visually 100 % complete'),
    ...at(recognisableMs, time => `${allOf(length)} recognisable at ${time}`),
    // this caption comes last, so that it alone is shown if pictures become recognisable and good at the same time
    ...at(goodMs, time => `${allOf(length)} good at ${time}`),
  ];
}

function allOf(pictures: number): string {
  if (pictures === 1) return 'the picture is';
  return pictures === 2 ? 'both pictures' : `all ${countText(pictures)} pictures`;
}

/** Captions for lost packets. They name the objects whose data the packets carried. */
function losses(trace: Trace): readonly Caption[] {
  const {packets} = trace.data;
  return trace.droppedPackets().flatMap(packet => {
    const atNs = packets.fateNs[packet] ?? 0;
    const cargo = trace.objectsOf(packet).map(({object}) => nameOf(trace, object));
    const names = nameList([...new Set(cargo)]);
    // a lost acknowledgement needs no caption, because the next one replaces it
    if (packets.direction[packet] === DIRECTION.up) return names === '' ? [] : [{atNs, text: `request lost: ${names}`}];
    return [{atNs, text: names === '' ? 'packet lost' : `packet lost: data of ${names}`}];
  });
}

/**
 * Captions for objects whose data waits at the client. Each time an object starts or stops waiting, a new caption names
 * the objects that wait from this time on. If there are more than two, or two with long names, it names only one of
 * them and says how many others wait. If no object waits any more, the caption gives the duration of the longest wait
 * that has just ended.
 */
function waits(trace: Trace): readonly Caption[] {
  const all = trace.objects.flatMap((_, object) => trace.blockedOf(object).map(interval => ({...interval, object})));
  all.sort((a, b) => a.startNs - b.startNs);
  const {fateNs} = trace.data.packets;
  const firstLossNs = Math.min(...trace.droppedPackets().map(packet => fateNs[packet] ?? 0));
  const times = [...new Set(all.flatMap(({startNs, endNs}) => [startNs, endNs]))].sort((a, b) => a - b);
  const captions: Caption[] = [];
  let [waiting, begun]: [typeof all, number] = [[], 0];
  for (const [i, atNs] of times.entries()) {
    const ended = waiting.filter(({endNs}) => endNs <= atNs);
    waiting = waiting.filter(({endNs}) => endNs > atNs);
    for (let one = all[begun]; one !== undefined && one.startNs <= atNs; one = all[++begun]) waiting.push(one);
    const [longest] = ended;
    if (waiting.length > 0) {
      const names = nameList(waiting.map(({object}) => nameOf(trace, object)));
      const what = firstLossNs < atNs ? 'lost' : 'earlier';
      const text = `${names} ${waiting.length === 1 ? 'waits' : 'wait'} for ${what} data`;
      captions.push({atNs, untilNs: times[i + 1] ?? trace.data.endNs, text});
    } else if (longest !== undefined) {
      const text = `${nameOf(trace, longest.object)} waited ${durationText(atNs - longest.startNs)}`;
      captions.push({atNs, text});
    }
  }
  return captions;
}

function nameList(names: readonly string[]): string {
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  if (others.length > 0) return `${first} and ${names.length - 1} others`;
  return first.length + second.length > LONGEST_PAIR ? `${first} and another` : `${first} and ${second}`;
}

/** The name of an object, cut so that the caption's end, which has the numbers, fits into its line. */
function nameOf(trace: Trace, object: number): string {
  return showName(objectName(trace, object), LONGEST_NAME);
}

/** The greatest length of a name, and of a pair of names, in characters. Both leave room for the rest of a caption. */
const LONGEST_NAME = 24;
const LONGEST_PAIR = 32;
