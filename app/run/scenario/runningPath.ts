import type {Json} from '../../base/json.ts';
import {
  check,
  fail,
  INVALID,
  integer,
  isObject,
  list,
  object,
  type Parser,
  type Problem,
  required,
} from '../../base/schema.ts';
import {meanValue, OPPORTUNITY_BYTES} from '../link/linkTrace.ts';
import {pathDocument} from './document.ts';
import {type BothWays, changePath, completeChange, type PathSettings, pathChange, pathSettings} from './path.ts';
import {traceOf} from './traceSettings.ts';
import {MOST_ITEMS, type Traffic, traffic, trafficFits} from './traffic.ts';

/** The current state of a path that forwards real packets in real time. */
export interface RunningPath {
  readonly path: PathSettings;
  /** The seed that decides which packets are lost. It applies from the first packet after it was set. */
  readonly seed: number;
  readonly counts: BothWays<PathCounts>;
  /** The counts of each item of the path's traffic. */
  readonly traffic: readonly TrafficCounts[];
  /** How often the clients have moved to another path. */
  readonly handOvers: number;
  /**
   * Number of clients that sent packets recently. A client counts once for each port to which it sent. If the clients
   * are in a network namespace, they cannot be distinguished, and the number is 1.
   */
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
  /**
   * Packets that were lost because of a hand-over. When the client moved, they were in a queue or on their way to the
   * client, or they were sent later from or to the old address of the client.
   */
  readonly handedOver: number;
}

/** Numbers of packets of other traffic, in the direction of its data, since it was put on the path. */
export interface TrafficCounts {
  readonly passed: number;
  /** Bytes of the IP packets that passed. */
  readonly passedBytes: number;
  /** Packets that were lost or dropped. */
  readonly dropped: number;
}

/** A change of a running path. */
export interface RunningChange {
  /** All settings of the path after the change. */
  readonly path: PathSettings;
  /** Whether the clients move to another path, which has these settings. */
  readonly isHandover: boolean;
  /** Whether the path's traffic begins anew, with times that count from the change. */
  readonly isNewTraffic: boolean;
  /** The new seed. Undefined if the seed stays. */
  readonly seed: number | undefined;
}

type RequestedChange =
  | ({readonly ok: true} & RunningChange)
  | {readonly ok: false; readonly problems: readonly [Problem, ...Problem[]]};

/** Returns the JSON form of a running path. `path` has the same form as in a scenario. */
export function runningPathDocument({path, counts, traffic, ...rest}: RunningPath): {readonly [key: string]: Json} {
  return {
    path: pathDocument(path),
    counts: {down: {...counts.down}, up: {...counts.up}},
    traffic: traffic.map(each => ({...each})),
    ...rest,
  };
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
    handedOver: count,
  }),
);
const trafficCounts = object('the counts of traffic', {passed: count, passedBytes: count, dropped: count});

/** Parses the result of {@link runningPathDocument}. */
export const runningPath: Parser<RunningPath> = object('a running path', {
  path: required(pathSettings),
  seed: count,
  counts: required(object('counts', {down: counts, up: counts})),
  traffic: required(list(trafficCounts, 0, MOST_ITEMS)),
  handOvers: count,
  clients: count,
  refused: count,
});

/**
 * Applies a requested change to the path. `json` has the keys that `path` can have in an entry of a scenario's
 * `changes`, and optionally `seed` and `traffic`. The function never throws.
 */
export function requestedChange(json: unknown, inForce: PathSettings): RequestedChange {
  const {seed: asked, traffic: askedTraffic, ...rest} = isObject(json) ? json : {};
  const seed = asked === undefined ? undefined : check(parseSeed, asked);
  if (seed?.ok === false) return seed;
  const other = askedTraffic === undefined ? undefined : check(laterTraffic, askedTraffic);
  if (other?.ok === false) return other;
  const change = check(
    (value, path, problems) => {
      const parsed = pathChange(value, path, problems);
      if (parsed === INVALID) return INVALID;
      const {noticeMs} = parsed.handover ?? {};
      // a real client has its own time to notice that a connection is dead
      if (noticeMs) return fail(problems, 'handover.noticeMs', noticeMs, 'absent, because a path cannot set it');
      return completeChange(parsed, inForce.loss, 'loss', problems);
    },
    isObject(json) ? rest : json,
  );
  if (!change.ok) return change;
  const path = withTraffic(changePath(inForce, change.value), other?.value);
  const fitting = check((_, __, problems) => (trafficRuns(path, problems) ? true : INVALID), undefined);
  if (!fitting.ok) return fitting;
  const isHandover = change.value.handover !== undefined;
  return {ok: true, path, isHandover, isNewTraffic: other !== undefined, seed: seed?.value};
}

function withTraffic({traffic: before, ...path}: PathSettings, now = before): PathSettings {
  return now === undefined || now.length === 0 ? path : {...path, traffic: now};
}

/**
 * Whether the path's other traffic can be computed in real time, and its packets fit the path's MTU. If not, the reason
 * is reported as a problem.
 */
export function trafficRuns(path: PathSettings, problems: Problem[]): boolean {
  const {traffic = []} = path;
  if (traffic.length === 0) return true;
  if (!trafficFits(path, problems)) return false;
  const limit = `at most ${MOST_BPS} with path.traffic, which is computed in real time`;
  for (const direction of ['down', 'up'] as const) {
    const rateBps = largestRateBps(path, direction);
    if (rateBps > MOST_BPS) return fail(problems, `path.rateBps.${direction}`, rateBps, limit) !== INVALID;
  }
  for (const [index, each] of traffic.entries()) {
    if (each.kind !== 'cbr') continue;
    const mostBps = Math.min(MOST_BPS, MOST_PACKETS_PER_SECOND * 8 * each.packetBytes);
    const within = `at most ${mostBps} for packets of ${each.packetBytes} bytes, because they are sent in real time`;
    if (each.rateBps > mostBps)
      return fail(problems, `path.traffic[${index}].rateBps`, each.rateBps, within) !== INVALID;
  }
  return true;
}

/** Returns the rate of a direction, or the largest rate of its trace, in bits per second. */
function largestRateBps(path: PathSettings, direction: keyof BothWays<number>): number {
  const settings = path[direction]?.trace;
  if (!settings) return path.rateBps[direction];
  const trace = traceOf(settings, 'capacity', direction);
  if (trace.kind === 'steps') return Math.max(...trace.rows.map(([, bps]) => bps));
  // The busiest second does not count the repetitions of a trace that is shorter than a second. The mean does.
  return Math.max(meanValue(trace), busiestSecondBps(trace.timesMs));
}

/** Returns the rate in the second that has the most delivery opportunities. */
function busiestSecondBps(timesMs: Uint32Array): number {
  let [most, from] = [0, 0];
  for (const [at, ms] of timesMs.entries()) {
    while ((timesMs[from] ?? ms) <= ms - 1000) from++;
    most = Math.max(most, at + 1 - from);
  }
  return most * OPPORTUNITY_BYTES * 8;
}

const parseSeed = (value: unknown, _: string, problems: Problem[]): number | typeof INVALID =>
  integer(0, Number.MAX_SAFE_INTEGER)(value, 'seed', problems);

/** Parses traffic that is put on a running path. Its times count from the change. */
const laterTraffic = (value: unknown, _: string, problems: Problem[]): readonly Traffic[] | typeof INVALID => {
  const parsed = traffic(value, 'traffic', problems);
  if (parsed === INVALID) return INVALID;
  const early = parsed.findIndex(({startMs}) => startMs < 0);
  if (early < 0) return parsed;
  return fail(problems, `traffic[${early}].startMs`, parsed[early]?.startMs, 'at least 0 while the path is running');
};

/**
 * The largest rate of a path with other traffic. The kind of traffic that is slowest to compute is BBR on a path with
 * losses and an RTT of 350 ms. At this rate, it needs half a second of processor time for each second.
 */
const MOST_BPS = 500e6;
const MOST_PACKETS_PER_SECOND = 50_000;
