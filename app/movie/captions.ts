import {describeChange} from '../scenario/describe.ts';
import {pathAt, type Scenario} from '../scenario/scenario.ts';
import {DIRECTION} from '../trace/columns.ts';
import {firstAbove} from '../trace/rowIndex.ts';
import type {Trace} from '../trace/trace.ts';

/** What happened at a time, for people who watch. */
export interface Caption {
  readonly atNs: number;
  readonly text: string;
}

/** What is worth saying of one pane's load, in order of time. */
export function captionsOf(trace: Trace): readonly Caption[] {
  return [...milestones(trace), ...losses(trace)].sort((a, b) => a.atNs - b.atNs);
}

/** The path's timed changes, which every pane shares: what was, and what is from then on. */
export function changeCaptions(scenario: Scenario): readonly Caption[] {
  return [...new Set(scenario.changes.map(({atMs}) => atMs * 1e6))]
    .map(atNs => ({atNs, text: describeChange(pathAt(scenario, atNs - 1), pathAt(scenario, atNs))}))
    .filter(({text}) => text !== '');
}

/** What a line of captions says at t (ns): the latest one if it is not older than `lingerNs`, else nothing. */
export function captionLine(captions: readonly Caption[], lingerNs: number): (tNs: number) => string {
  const times = captions.map(({atNs}) => atNs);
  return tNs => {
    const latest = captions[firstAbove(times, tNs) - 1];
    return latest !== undefined && tNs - latest.atNs <= lingerNs ? latest.text : '';
  };
}

function milestones({data}: Trace): readonly Caption[] {
  const connected = data.setupNs === null ? [] : [{atNs: data.setupNs, text: 'connected'}];
  const failed = data.objects.flatMap(({failedNs, url, failure}) =>
    failedNs === null ? [] : [{atNs: failedNs, text: `${fileName(url)} failed: ${failure}`}],
  );
  const end = {
    atNs: data.endNs,
    text: data.outcome === 'complete' ? 'page complete' : `${data.outcome}: ${data.reason}`,
  };
  return [...connected, ...failed, end];
}

/** A lost packet, and what waits for it. */
function losses(trace: Trace): readonly Caption[] {
  const {packets, objects} = trace.data;
  const nameOf = (object: number): string => fileName(objects[object]?.url ?? '');
  return trace.droppedPackets().flatMap(packet => {
    const atNs = packets.fateNs[packet] ?? 0;
    const cargo = trace.objectsOf(packet).map(({object}) => object);
    if (packets.direction[packet] === DIRECTION.up) {
      // a lost acknowledgement is made good by the next one
      return cargo.length === 0 ? [] : [{atNs, text: `request lost: ${nameList(cargo.map(nameOf))}`}];
    }
    const held = trace.holdOf(packet)?.held.map(({object}) => object) ?? [];
    const waiting = [...new Set([...cargo, ...held])].map(nameOf);
    if (waiting.length === 0) return [{atNs, text: 'packet lost'}];
    return [{atNs, text: `packet lost: ${nameList(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'}`}];
  });
}

function nameList(names: readonly string[]): string {
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${names.length - 1} others`;
}

/** The last part of an address: what a page's reader would call it. */
function fileName(url: string): string {
  return url.split('/').findLast(part => part !== '') ?? 'index.html';
}
