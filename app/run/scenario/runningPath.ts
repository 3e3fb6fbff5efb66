import type {Json} from '../../base/json.ts';
import {check, INVALID, integer, isObject, object, type Parser, type Problem, required} from '../../base/schema.ts';
import {pathDocument} from './document.ts';
import {type BothWays, changePath, completeChange, type PathSettings, pathChange, pathSettings} from './path.ts';

/** A path that packets of others go through in real time, as it is now. */
export interface RunningPath {
  readonly path: PathSettings;
  /** Whose fates its packets draw, from the first that came since it was set. */
  readonly seed: number;
  readonly counts: BothWays<PathCounts>;
  /** Who has sent lately, once for each port that they sent to. */
  readonly clients: number;
  /** Packets that the machine of the path did not send on, or the server's did not take. */
  readonly refused: number;
}

/** What became of one direction's packets since the path began. */
export interface PathCounts {
  /** Came out. */
  readonly passed: number;
  /** Dropped by the loss model. */
  readonly lost: number;
  /** Dropped by the full queue. */
  readonly queueFull: number;
  /** Larger than the MTU. */
  readonly tooLarge: number;
}

/** What is asked of it: settings of the path, and where it is said, draws that begin anew. */
type AskedChange =
  | {readonly ok: true; readonly path: PathSettings; readonly seed: number | undefined}
  | {readonly ok: false; readonly problems: readonly [Problem, ...Problem[]]};

/** As the path tells it: `path` is as a scenario has it. */
export function runningPathDocument({path, counts, ...rest}: RunningPath): {readonly [key: string]: Json} {
  return {path: pathDocument(path), counts: {down: {...counts.down}, up: {...counts.up}}, ...rest};
}

const count = required(integer(0, Number.MAX_SAFE_INTEGER));
const counts = required(
  object("a direction's counts", {passed: count, lost: count, queueFull: count, tooLarge: count}),
);

/** What {@link runningPathDocument} gives. */
export const runningPath: Parser<RunningPath> = object('a running path', {
  path: required(pathSettings),
  seed: count,
  counts: required(object('counts', {down: counts, up: counts})),
  clients: count,
  refused: count,
});

/** What a change makes of the path: the keys of a scenario's, and `seed`. Never throws. */
export function askedChange(json: unknown, inForce: PathSettings): AskedChange {
  const {seed: asked, ...rest} = isObject(json) ? json : {};
  const seed = asked === undefined ? undefined : check(parseSeed, asked);
  if (seed?.ok === false) return seed;
  const change = check(
    (value, path, problems) => {
      const parsed = pathChange(value, path, problems);
      return parsed === INVALID ? INVALID : completeChange(parsed, inForce.loss, 'loss', problems);
    },
    isObject(json) ? rest : json,
  );
  if (!change.ok) return change;
  return {ok: true, path: changePath(inForce, change.value), seed: seed?.value};
}

const parseSeed = (value: unknown, _: string, problems: Problem[]): number | typeof INVALID =>
  integer(0, Number.MAX_SAFE_INTEGER)(value, 'seed', problems);
