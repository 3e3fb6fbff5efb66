import {
  describedBy,
  fail,
  failMissing,
  INVALID,
  integer,
  isObject,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  type Problem,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {CONGESTIONS, type Congestion} from '../../http/congestion.ts';

/** Other traffic that shares the path with the page load, and fills the queues of the path. */
export type Traffic = {
  /** The direction of its data. */
  readonly direction: 'down' | 'up';
  /**
   * The time from which the traffic can start, in ms after the start of the run. The seed delays the start by at most
   * 100 ms. A negative time is before the start of the run.
   */
  readonly startMs: number;
  /**
   * The time from which the traffic has no new data, in ms after the start of the run. TCP still sends the data that it
   * had before. Null if the traffic never ends.
   */
  readonly endMs: number | null;
} & (
  | {
      /** TCP connections that always have more to send. They start with slow start. */
      readonly kind: 'tcp';
      readonly congestion: Congestion;
      /** The number of connections. */
      readonly flows: number;
    }
  | {
      /** UDP packets at a constant rate, without congestion control. */
      readonly kind: 'cbr';
      /** Rate in bits per second. It counts all bytes of each IP packet. */
      readonly rateBps: number;
      /** Size of each IP packet. */
      readonly packetBytes: number;
    }
);

/** The longest time that traffic can have the path for itself before the run starts. */
const LONGEST_LEAD_MS = 60_000;
/** Ten days in ms, far beyond what any load needs. */
const LONGEST_MS = 864e6;
/** The largest number of connections of one item of {@link traffic}. */
const MOST_FLOWS = 32;
/** The largest number of items of {@link traffic}. */
export const MOST_ITEMS = 8;
/** The largest packet rate that the network core (native/netsim) supports for one item. */
const MOST_PACKETS_PER_SECOND = 1e6;

const time = number(-LONGEST_LEAD_MS, LONGEST_MS);

const COMMON = {
  direction: required(oneOf(['down', 'up']), {about: 'The direction of its data.'}),
  startMs: optional(time, 0, {
    about:
      'When it starts, in ms after the start of the run. The seed delays the start by at most 100 ms. With a ' +
      'negative time it is on the path before the load begins. For example, -5000 gives it about 5 s to reach a ' +
      'steady state.',
    default: 0,
  }),
  endMs: optional(orNull(time), null, {
    about:
      'The time from which its sender gets no new data, in ms after the start of the run. TCP still sends what it ' +
      'already has. null means that it never ends.',
    default: null,
  }),
};

const tcp = object('TCP traffic', {
  kind: required(oneOf(['tcp']), {
    about:
      'TCP connections of the profile modern that always have more to send, such as an upload of photos. They begin ' +
      'with slow start.',
  }),
  ...COMMON,
  congestion: optional(oneOf(CONGESTIONS), 'cubic' as const, {
    about: 'The congestion control of the connections.',
    default: 'cubic',
  }),
  flows: optional(integer(1, MOST_FLOWS), 1, {about: 'The number of connections.', default: 1}),
});

const cbr = object('traffic at a constant rate', {
  kind: required(oneOf(['cbr']), {
    about: 'UDP packets at a constant rate, such as a video call. They have no congestion control.',
  }),
  ...COMMON,
  rateBps: required(integer(1, 1e12), {
    about: `The rate, in bits per second, at most ${MOST_PACKETS_PER_SECOND / 1e6} million packets a second.`,
  }),
  packetBytes: optional(integer(28, 65_535), 1200, {
    about: 'The size of each IP packet, in bytes, at most path.mtuBytes.',
    default: 1200,
  }),
});

const item: Parser<Traffic> = describedBy(
  () => ({anyOf: [schemaOf(tcp), schemaOf(cbr)]}),
  (value, path, problems) => {
    if (!isObject(value)) return fail(problems, path, value, 'an object (other traffic)');
    if (value['kind'] === undefined) return failMissing(problems, `${path}.kind`, '"tcp" or "cbr"');
    const kind = oneOf(['tcp', 'cbr'])(value['kind'], `${path}.kind`, problems);
    if (kind === INVALID) return INVALID;
    const parsed = kind === 'tcp' ? tcp(value, path, problems) : cbr(value, path, problems);
    if (parsed === INVALID) return INVALID;
    if (parsed.endMs !== null && parsed.endMs <= parsed.startMs)
      return fail(problems, `${path}.endMs`, parsed.endMs, `more than startMs, ${parsed.startMs}`);
    if (parsed.kind === 'cbr' && parsed.rateBps > parsed.packetBytes * 8 * MOST_PACKETS_PER_SECOND)
      return fail(
        problems,
        `${path}.rateBps`,
        parsed.rateBps,
        `at most ${parsed.packetBytes * 8e6} (a million packets a second)`,
      );
    return parsed;
  },
);

/** Parses the other traffic of a path. */
export const traffic: Parser<readonly Traffic[]> = list(item, 0, MOST_ITEMS);

/** Whether the packets of constant traffic fit into the path's MTU. If some do not, this is reported as a problem. */
export function trafficFits(
  {mtuBytes, traffic = []}: {readonly mtuBytes: number; readonly traffic?: readonly Traffic[]},
  problems: Problem[],
): boolean {
  const large = traffic.findIndex(each => each.kind === 'cbr' && each.packetBytes > mtuBytes);
  const each = traffic[large];
  if (each?.kind !== 'cbr') return true;
  fail(problems, `path.traffic[${large}].packetBytes`, each.packetBytes, `at most path.mtuBytes, ${mtuBytes}`);
  return false;
}
