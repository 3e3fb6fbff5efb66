import {describePath} from '../scenario/describe.ts';
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
export function captionsOf(trace: Trace, scenario: Scenario): readonly Caption[] {
  const captions = [...milestones(trace), ...losses(trace), ...changes(scenario, trace.data.endNs)];
  return captions.sort((a, b) => a.atNs - b.atNs);
}

/** The latest caption that is not older than `lingerNs` at t; undefined if there is none. */
export function captionAt(captions: readonly Caption[], tNs: number, lingerNs: number): Caption | undefined {
  const latest =
    captions[
      firstAbove(
        captions.map(({atNs}) => atNs),
        tNs,
      ) - 1
    ];
  return latest !== undefined && tNs - latest.atNs <= lingerNs ? latest : undefined;
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

function changes(scenario: Scenario, endNs: number): readonly Caption[] {
  return scenario.changes
    .map(({atMs}) => atMs * 1e6)
    .filter(atNs => atNs <= endNs)
    .map(atNs => ({atNs, text: `the path changes: ${describePath(pathAt(scenario, atNs))}`}));
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
