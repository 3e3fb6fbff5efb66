import {
  boolean,
  fail,
  INVALID,
  integer,
  isObject,
  object,
  oneOf,
  optional,
  type Parser,
  required,
} from './schema.ts';

/** One way to load the page. What all panes share (path, page, think time, discovery) is the scenario's. */
export type Pane = TcpPane | SctpPane;

/** HTTP/1.1 pipelined over one TCP connection, answered in request order (RFC 9112 §9.3.2). */
export interface TcpPane {
  readonly pipeline: 'tcp';
  /** `classic` and `modern` as in DESIGN; `reno` has no SACK (R02's TCP). */
  readonly profile: (typeof TCP_PROFILES)[number];
  /** The server's send buffer; null holds the whole transfer. */
  readonly sendBuffer: SendBuffer | null;
}

/** HTTP over the streams of one SCTP association (N07 §4). */
export interface SctpPane {
  readonly pipeline: 'sctp';
  readonly profile: (typeof SCTP_PROFILES)[number];
  /** Streams that both ends ask for, 1–64. */
  readonly streams: number;
  /** Responses are cut in messages of one packet each; false: one message per response. */
  readonly fragmentation: boolean;
  /** Bytes of a response's message under `fragmentation`; null fills one PMTU. R02 used 1024. */
  readonly messageBytes: number | null;
  readonly scheduler: (typeof SCHEDULERS)[number];
  readonly server: (typeof SERVERS)[number];
  readonly sendBuffer: SendBuffer | null;
}

/**
 * How much the server's transport takes before a write has to wait. `objects` K counts in the page's
 * largest response, so that the concurrency level is min(L, K) (N07 §6).
 */
export type SendBuffer = {readonly bytes: number} | {readonly objects: number};

const TCP_PROFILES = ['classic', 'modern', 'reno'] as const;
const SCTP_PROFILES = ['classic', 'modern'] as const;
const SCHEDULERS = ['round-robin', 'first-come'] as const;
const SERVERS = ['sequential', 'interleaving'] as const;

const bufferBytes = object('a send buffer', {bytes: required(integer(1024, 2 ** 30))});
const bufferObjects = object('a send buffer', {objects: required(integer(1, 1000))});

const sendBuffer: Parser<SendBuffer | null> = (value, path, problems) => {
  if (value === null) return null;
  if (!isObject(value)) return fail(problems, path, value, '{"bytes": …}, {"objects": …} or null');
  return Object.hasOwn(value, 'objects')
    ? bufferObjects(value, path, problems)
    : bufferBytes(value, path, problems);
};

const orNull =
  <T>(parse: Parser<T>): Parser<T | null> =>
  (value, path, problems) =>
    value === null ? null : parse(value, path, problems);

const tcpPane = object('a tcp pane', {
  pipeline: required(oneOf(['tcp'])),
  profile: optional(oneOf(TCP_PROFILES), 'classic' as const),
  sendBuffer: optional(sendBuffer, null),
});

const sctpPane = object('an sctp pane', {
  pipeline: required(oneOf(['sctp'])),
  profile: optional(oneOf(SCTP_PROFILES), 'classic' as const),
  streams: optional(integer(1, 64), 10),
  fragmentation: optional(boolean(), true),
  messageBytes: optional(orNull(integer(64, 65535)), null),
  scheduler: optional(oneOf(SCHEDULERS), 'round-robin' as const),
  server: optional(oneOf(SERVERS), 'sequential' as const),
  sendBuffer: optional(sendBuffer, null),
});

/** A pane of either pipeline; each has its own settings, and those of the other are unknown keys. */
export const paneSettings: Parser<Pane> = (value, path, problems) => {
  if (!isObject(value)) return fail(problems, path, value, 'an object (a pane)');
  if (value['pipeline'] === 'tcp') return tcpPane(value, path, problems);
  if (value['pipeline'] === 'sctp') return sctpPane(value, path, problems);
  oneOf(['tcp', 'sctp'])(value['pipeline'], `${path}.pipeline`, problems);
  return INVALID;
};

export const DEFAULT_PANES: readonly Pane[] = [
  {pipeline: 'tcp', profile: 'classic', sendBuffer: null},
  {
    pipeline: 'sctp',
    profile: 'classic',
    streams: 10,
    fragmentation: true,
    messageBytes: null,
    scheduler: 'round-robin',
    server: 'sequential',
    sendBuffer: null,
  },
];
