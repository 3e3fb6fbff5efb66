import type {Json} from '../../base/json.ts';
import {describedBy, fail, isObject, number, object, optional, type Parser, schemaOf} from '../../base/schema.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import type {Scenario} from './scenario.ts';

/** The client moves to another path and gets another address, for example from Wi-Fi to a mobile network. */
export interface HandoverSettings {
  /**
   * How long the client needs to notice that a connection is dead. Connections die if they cannot follow the client to
   * the new path. Chromium closes them immediately (ERR_NETWORK_CHANGED); Firefox waits 5 s for traffic
   * (network.http.network-changed.timeout).
   */
  readonly noticeMs: number;
}

const settings = object('a hand-over', {
  noticeMs: optional(number(0, 600_000), 0, {
    about:
      'How long the client needs to notice that a connection is dead, in ms. Connections die if they cannot follow ' +
      'the client to the new path. Chromium closes them at once. Firefox waits 5000 ms for traffic.',
    default: 0,
  }),
});

/** Parses a hand-over. `false` means that there is none. */
export const handover: Parser<HandoverSettings | undefined> = describedBy(
  () => ({anyOf: [{type: 'boolean'}, schemaOf(settings)]}),
  (value, path, problems) => {
    if (value === true) return {noticeMs: 0};
    if (value === false) return undefined;
    if (!isObject(value)) return fail(problems, path, value, 'true, false or {"noticeMs": …}');
    return settings(value, path, problems);
  },
);

/** Returns a hand-over as it is written in a scenario document. */
export function handoverDocument({noticeMs}: HandoverSettings): Json {
  return noticeMs === 0 ? true : {noticeMs};
}

/** Returns the times at which the client moves to another path, rounded to whole ns as in computed loads. */
export function handOverTimesNs({changes}: Pick<Scenario, 'changes'>): readonly number[] {
  return changes.flatMap(({atMs, path}) => (path.handover === undefined ? [] : [Math.round(atMs * 1e6)]));
}

/** The parts of a scenario that a hand-over concerns. The changes are in the order of the document. */
interface HandoverParts extends Pick<Scenario, 'panes'> {
  readonly changes: readonly {readonly path: {readonly handover?: HandoverSettings | undefined}}[];
}

/**
 * Returns the problem of a scenario that has both a hand-over and a pane whose pipeline does not support hand-overs.
 * Undefined if there is no such problem.
 */
export function handoverProblem({
  changes,
  panes,
}: HandoverParts): {readonly path: string; readonly limit: string} | undefined {
  const change = changes.findIndex(({path}) => path.handover !== undefined);
  const pane = panes.find(({pipeline}) => pipelineOf(pipeline).hasHandOver !== true);
  if (change < 0 || pane === undefined) return undefined;
  return {path: `changes[${change}].path.handover`, limit: `absent with ${pipelineOf(pane.pipeline).paneNoun}`};
}

export const HANDOVER_ABOUT =
  'Whether the client moves to another path at this time, for example from Wi-Fi to a mobile network. The client ' +
  'gets another address, the queues are empty, and the other keys of the change are the settings of the new path. ' +
  'Packets that were in the queues or on their way to the client are lost. A connection of HTTP/3 follows the client ' +
  'if its handshake is confirmed (connection migration, RFC 9000 §9). All other connections die: the client opens ' +
  'new ones and requests again what has not arrived completely. All other traffic stays on the old path, so the new ' +
  'path has none.';
