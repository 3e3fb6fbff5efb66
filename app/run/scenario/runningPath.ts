import type {Json} from '../../base/json.ts';
import {check, INVALID, integer, isObject, object, type Parser, type Problem, required} from '../../base/schema.ts';
import {pathDocument} from './document.ts';
import {type BothWays, changePath, completeChange, liveChange, type PathSettings, pathSettings} from './path.ts';

/** The current state of a path that forwards real packets in real time. */
export interface RunningPath {
  readonly path: PathSettings;
  /** The seed that decides which packets are lost. It applies from the first packet after it was set. */
  readonly seed: number;
  readonly counts: BothWays<PathCounts>;
  /** Number of clients that sent packets recently. A client counts once for each port to which it sent. */
  readonly clients: number;
  /** Number of packets that this machine did not forward, or that the server's machine rejected. */
  readonly refused: number;
}

/** Numbers of packets of one direction since the path was started. */
export interface PathCounts {
  /** Packets that were delivered. */
  readonly passed: number;
  /** Packets that the loss model dropped. */
  readonly lost: number;
  /** Packets that the full queue dropped. */
  readonly queueFull: number;
  /** Packets that the queue dropped to signal congestion. */
  readonly early: number;
  /** Packets that the policer dropped. */
  readonly policed: number;
  /** Packets that arrived a second time. */
  readonly copied: number;
  /** Packets that the queue marked. */
  readonly marked: number;
  /** Packets that were dropped because they are larger than the MTU. */
  readonly tooLarge: number;
}

/** A requested change: all settings of the path after the change, and the new seed, or undefined if the seed stays. */
type RequestedChange =
  | {readonly ok: true; readonly path: PathSettings; readonly seed: number | undefined}
  | {readonly ok: false; readonly problems: readonly [Problem, ...Problem[]]};

/** Returns the JSON form of a running path. `path` has the same form as in a scenario. */
export function runningPathDocument({path, counts, ...rest}: RunningPath): {readonly [key: string]: Json} {
  return {path: pathDocument(path), counts: {down: {...counts.down}, up: {...counts.up}}, ...rest};
}

const count = required(integer(0, Number.MAX_SAFE_INTEGER));
const counts = required(
  object("a direction's counts", {
    passed: count,
    lost: count,
    queueFull: count,
    early: count,
    policed: count,
    copied: count,
    marked: count,
    tooLarge: count,
  }),
);

/** Parses the result of {@link runningPathDocument}. */
export const runningPath: Parser<RunningPath> = object('a running path', {
  path: required(pathSettings),
  seed: count,
  counts: required(object('counts', {down: counts, up: counts})),
  clients: count,
  refused: count,
});

/**
 * Applies a requested change to the path. `json` has the keys of a scenario's path that can change, and optionally
 * `seed`. The function never throws.
 */
export function requestedChange(json: unknown, inForce: PathSettings): RequestedChange {
  const {seed: asked, ...rest} = isObject(json) ? json : {};
  const seed = asked === undefined ? undefined : check(parseSeed, asked);
  if (seed?.ok === false) return seed;
  const change = check(
    (value, path, problems) => {
      const parsed = liveChange(value, path, problems);
      return parsed === INVALID ? INVALID : completeChange(parsed, inForce.loss, 'loss', problems);
    },
    isObject(json) ? rest : json,
  );
  if (!change.ok) return change;
  return {ok: true, path: changePath(inForce, change.value), seed: seed?.value};
}

const parseSeed = (value: unknown, _: string, problems: Problem[]): number | typeof INVALID =>
  integer(0, Number.MAX_SAFE_INTEGER)(value, 'seed', problems);
