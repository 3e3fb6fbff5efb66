import {firstAbove} from '../../base/order.ts';
import {failureText} from '../../page/failure.ts';
import {ending} from '../../run/metrics/runNotes.ts';
import {picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {describeChange} from '../../run/scenario/describe.ts';
import {pathAt, type Scenario} from '../../run/scenario/scenario.ts';
import {DIRECTION} from '../../run/trace/columns.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {countText, durationText, fileName, objectName} from '../../run/trace/traceTexts.ts';

/** A text about what happened at a time, for people who watch. */
export interface Caption {
  readonly atNs: number;
  readonly text: string;
  /** For a state that lasts: when it ends. An event has none. */
  readonly untilNs?: number;
}

/** The captions of one pane's load in order of time. Of several at one time the most important comes last. */
export function captionsOf(trace: Trace, eye: Eye | null = null): readonly Caption[] {
  const seen = eye === null ? [] : sights(trace, eye);
  return [...waits(trace), ...losses(trace), ...seen, ...milestones(trace, eye)].sort((a, b) => a.atNs - b.atNs);
}

/** Captions for the path's timed changes, which all panes share: the settings before and after. */
export function changeCaptions(scenario: Scenario): readonly Caption[] {
  return [...new Set(scenario.changes.map(({atMs}) => atMs * 1e6))]
    .map(atNs => ({atNs, text: describeChange(pathAt(scenario, atNs - 1), pathAt(scenario, atNs))}))
    .filter(({text}) => text !== '');
}

/**
 * Returns the text of the caption line at t, ns: the latest caption that holds at t, or an empty text. An event is
 * shown for `lingerNs`.
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
      : [{atNs: failedNs, text: `${fileName(url)} failed: ${failureText(failure)}`}],
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

/** The Speed Index, which is known when the page is complete. */
function speedIndexText(trace: Trace, eye: Eye | null): string {
  const speedIndexMs = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds).speedIndexMs;
  return speedIndexMs === null ? '' : `, Speed Index ${durationText(speedIndexMs * 1e6, 1)}`;
}

/** When all pictures became recognisable and good, and when the page was visually complete or nearly so. */
function sights(trace: Trace, {quality, thresholds}: Eye): readonly Caption[] {
  const {length} = picturesOf(trace, quality);
  const {recognisableMs, goodMs, visuallyCompleteMs} = measureVisual(trace, quality, thresholds);
  const at = (ms: number | null, text: (time: string) => string): readonly Caption[] =>
    ms === null ? [] : [{atNs: ms * 1e6, text: text(durationText(ms * 1e6, 1))}];
  return [
    ...at(visuallyCompleteMs[85], () => 'visually 85 % complete'),
    ...at(visuallyCompleteMs[100], () => 'visually 100 % complete'),
    ...at(recognisableMs, time => `${allOf(length)} recognisable at ${time}`),
    // last, so that only this is shown if pictures become recognisable and good at the same time
    ...at(goodMs, time => `${allOf(length)} good at ${time}`),
  ];
}

function allOf(pictures: number): string {
  if (pictures === 1) return 'the picture is';
  return pictures === 2 ? 'both pictures' : `all ${countText(pictures)} pictures`;
}

/** Captions for lost packets, and the objects whose data they carried. */
function losses(trace: Trace): readonly Caption[] {
  const {packets} = trace.data;
  return trace.droppedPackets().flatMap(packet => {
    const atNs = packets.fateNs[packet] ?? 0;
    const cargo = trace.objectsOf(packet).map(({object}) => objectName(trace, object));
    const names = nameList([...new Set(cargo)]);
    // a lost acknowledgement needs no caption, because the next one replaces it
    if (packets.direction[packet] === DIRECTION.up) return names === '' ? [] : [{atNs, text: `request lost: ${names}`}];
    return [{atNs, text: names === '' ? 'packet lost' : `packet lost: data of ${names}`}];
  });
}

/** Captions for objects whose data waits at the client, from each change to the next, and for how long one waited. */
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
      const names = nameList(waiting.map(({object}) => objectName(trace, object)));
      const what = firstLossNs < atNs ? 'lost' : 'earlier';
      const text = `${names} ${waiting.length === 1 ? 'waits' : 'wait'} for ${what} data`;
      captions.push({atNs, untilNs: times[i + 1] ?? trace.data.endNs, text});
    } else if (longest !== undefined) {
      const text = `${objectName(trace, longest.object)} waited ${durationText(atNs - longest.startNs)}`;
      captions.push({atNs, text});
    }
  }
  return captions;
}

function nameList(names: readonly string[]): string {
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${names.length - 1} others`;
}
