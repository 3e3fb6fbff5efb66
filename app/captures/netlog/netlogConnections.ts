import type {CapturedConnection} from '../capturedLoad.ts';
import {fieldOf} from '../httpRead.ts';
import {numberOf, textOf} from '../jsonFields.ts';
import {dependencyOf, fieldsOf, type NetlogEvent} from './netlogFile.ts';
import type {NetlogRequest} from './netlogRequests.ts';

/** A connection of the log: a TCP socket or a QUIC session. */
export interface NetlogConnection extends Omit<CapturedConnection, 'origin'> {
  readonly protocol: 'h1' | 'h2' | 'h3';
  readonly events: readonly NetlogEvent[];
}

/** The objects of the log that belong to connections, and how they refer to each other. */
export class NetlogConnections {
  readonly #bySource = new Map<number, NetlogEvent[]>();
  readonly #read = new Map<number, NetlogConnection>();
  readonly #used = new Set<number>();
  /** The objects that each object refers to. */
  readonly #referred = new Map<number, Set<number>>();
  readonly #found = new Map<number, number | undefined>();
  /** The HTTP/2 stream of each job. A job is the object of Chromium that finds a connection for a request. */
  readonly #streams = new Map<number, number>();
  /** The requests on QUIC streams, by session and path. */
  readonly #quicStreams = new Map<string, {readonly atNs: number; readonly stream: number}[]>();

  constructor(events: readonly NetlogEvent[]) {
    for (const event of events) {
      if (!SOURCES.has(event.sourceType)) continue;
      const own = this.#bySource.get(event.source) ?? [];
      this.#bySource.set(event.source, own);
      own.push(event);
      this.#note(event);
    }
  }

  /** Returns the number by which the log names the connection of a request. Undefined if the log does not show it. */
  of({job, session}: NetlogRequest): number | undefined {
    if (session !== undefined || job === undefined) return session;
    if (!this.#found.has(job)) this.#found.set(job, this.#reached(job));
    return this.#found.get(job);
  }

  /** Returns the number of a request's stream. Undefined for HTTP/1.1, and if the log does not show it. */
  streamOf(request: NetlogRequest): number | undefined {
    const {job, session, url, sentNs = 0} = request;
    if (session === undefined) return this.#streams.get(job ?? -1);
    const path = /^https?:\/\/[^/?]*(.*)$/s.exec(url)?.[1] ?? '';
    const sent = this.#quicStreams.get(`${session} ${path === '' ? '/' : path}`) ?? [];
    return sent.find(({atNs}) => atNs >= sentNs)?.stream;
  }

  /** Whether an earlier page has used a connection. */
  isUsed(source: number): boolean {
    return this.#used.has(source);
  }

  /** Notes that a page has used a connection. */
  use(source: number): void {
    this.#used.add(source);
  }

  read(source: number): NetlogConnection {
    const known = this.#read.get(source) ?? this.#connection(source);
    this.#read.set(source, known);
    return known;
  }

  /**
   * Follows the references from a job to its connection. A job refers to the session that it found or made, and an
   * HTTP/2 session refers to its socket.
   */
  #reached(job: number): number | undefined {
    const visited = new Set<number>();
    let next = [job];
    for (let depth = 0; depth < MOST_DEEP && next.length > 0; depth++) {
      const found = next.find(source => CONNECTIONS.has(this.#typeOf(source)));
      if (found !== undefined) return found;
      for (const source of next) visited.add(source);
      const referred = next.flatMap(source => [...(this.#referred.get(source) ?? [])]);
      // An HTTP/2 session surely has the job's connection. The sockets are less certain: a job may ask for several.
      const sessions = referred.filter(source => this.#typeOf(source) === 'HTTP2_SESSION');
      const chosen = sessions.length > 0 ? sessions : referred;
      next = [...new Set(chosen)].filter(source => !visited.has(source)).slice(0, MOST_REFERRED);
    }
    return undefined;
  }

  #typeOf(source: number): string {
    return this.#bySource.get(source)?.[0]?.sourceType ?? '';
  }

  #note(event: NetlogEvent): void {
    const {name, source, atNs, params} = event;
    const target = dependencyOf(event);
    const referred = this.#referred.get(source) ?? new Set<number>();
    this.#referred.set(source, referred);
    if (target !== undefined && referred.size < MOST_REFERRED) referred.add(target);
    if (name === 'HTTP2_SESSION_SEND_HEADERS' && target !== undefined)
      this.#streams.set(target, numberOf(params['stream_id']) ?? 0);
    if (name !== 'QUIC_CHROMIUM_CLIENT_STREAM_SEND_REQUEST_HEADERS') return;
    const path = fieldOf(fieldsOf(event), ':path') ?? '';
    const sent = this.#quicStreams.get(`${source} ${path}`) ?? [];
    this.#quicStreams.set(`${source} ${path}`, sent);
    if (sent.length < MOST_REFERRED) sent.push({atNs, stream: numberOf(params['quic_stream_id']) ?? 0});
  }

  #connection(source: number): NetlogConnection {
    const events = this.#bySource.get(source) ?? [];
    const at = (name: string, phase: NetlogEvent['phase']) =>
      events.find(event => event.name === name && event.phase === phase)?.atNs ?? null;
    if (events[0]?.sourceType === 'QUIC_SESSION') {
      const parameters = events.find(({name}) => name === 'QUIC_SESSION_TRANSPORT_PARAMETERS_RECEIVED')?.params;
      const [, streams] =
        / initial_max_streams_bidi (\d{1,15})/.exec(textOf(parameters?.['quic_transport_parameters']) ?? '') ?? [];
      return {
        protocol: 'h3',
        hasTls: true,
        openNs: at('QUIC_SESSION', 'begin'),
        connectedNs: at('QUIC_SESSION_CRYPTO_HANDSHAKE_COMPLETE', 'none'),
        tlsNs: null,
        streams: Number(streams ?? 0),
        events,
      };
    }
    const tls = events.find(({name, phase}) => name === 'SSL_CONNECT' && phase === 'end');
    return {
      protocol: tls?.params['next_proto'] === 'h2' ? 'h2' : 'h1',
      hasTls: at('SSL_CONNECT', 'begin') !== null,
      openNs: at('TCP_CONNECT', 'begin'),
      connectedNs: at('TCP_CONNECT', 'end'),
      tlsNs: tls?.atNs ?? null,
      streams: 1,
      events,
    };
  }
}

const SOURCES: ReadonlySet<string> = new Set([
  'HTTP_STREAM_JOB',
  'HTTP_STREAM_POOL_JOB',
  'HTTP_STREAM_POOL_ATTEMPT_MANAGER',
  'HTTP_STREAM_POOL_QUIC_ATTEMPT',
  'HTTP2_SESSION',
  'QUIC_SESSION',
  'QUIC_SESSION_POOL_DIRECT_JOB',
  'SOCKET',
  'SSL_CONNECT_JOB',
  'TCP_CONNECT_JOB',
  'TCP_STREAM_ATTEMPT',
  'TLS_STREAM_ATTEMPT',
  'TRANSPORT_CONNECT_JOB',
]);
const CONNECTIONS: ReadonlySet<string> = new Set(['QUIC_SESSION', 'SOCKET']);
/**
 * The most objects on the way from a job to its connection, both included. A usual way is: job, session or connect
 * job, socket.
 */
const MOST_DEEP = 6;
/**
 * The most references that are kept of an object, the most objects that one step from a job looks at, and the most
 * requests that are kept of a path in a QUIC session.
 */
const MOST_REFERRED = 20;
