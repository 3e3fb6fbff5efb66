import type {CapturedConnection} from '../capturedLoad.ts';
import {numberOf, textOf} from '../jsonFields.ts';
import {dependencyOf, type NetlogEvent} from './netlogFile.ts';
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
  /** The HTTP/2 stream of each job. */
  readonly #streams = new Map<number, number>();

  constructor(events: readonly NetlogEvent[]) {
    for (const event of events) {
      if (!SOURCES.has(event.sourceType)) continue;
      const own = this.#bySource.get(event.source) ?? [];
      this.#bySource.set(event.source, own);
      own.push(event);
      const [job, stream] = [dependencyOf(event), numberOf(event.params['stream_id'])];
      if (event.name === 'HTTP2_SESSION_SEND_HEADERS' && job !== undefined && stream !== undefined)
        this.#streams.set(job, stream);
    }
  }

  /** Returns the number by which the log names the connection of a request. Undefined if the log does not show it. */
  of({job, session}: NetlogRequest): number | undefined {
    return session ?? this.#reached(job);
  }

  /** Returns the number of a request's stream. 0 for HTTP/1.1. */
  streamOf({job}: NetlogRequest): number {
    return this.#streams.get(job ?? -1) ?? 0;
  }

  read(source: number): NetlogConnection {
    const known = this.#read.get(source) ?? this.#connection(source);
    this.#read.set(source, known);
    return known;
  }

  /**
   * Follows the references from a job to its connection: to the session that it found or made, and from an HTTP/2
   * session to its socket.
   */
  #reached(job: number | undefined): number | undefined {
    const visited = new Set<number>();
    let next = job === undefined ? [] : [job];
    for (let depth = 0; depth < MOST_DEEP && next.length > 0; depth++) {
      const events = next.flatMap(source => this.#bySource.get(source) ?? []);
      const found = events.find(({sourceType}) => sourceType === 'QUIC_SESSION' || sourceType === 'SOCKET');
      if (found !== undefined) return found.source;
      for (const source of next) visited.add(source);
      const referred = events.flatMap(event => (CONTROLLERS.has(event.sourceType) ? [] : (dependencyOf(event) ?? [])));
      // An HTTP/2 session is certain, while a job may have asked for several sockets.
      const sessions = referred.filter(source => this.#bySource.get(source)?.[0]?.sourceType === 'HTTP2_SESSION');
      next = [...new Set(sessions.length > 0 ? sessions : referred)]
        .filter(source => !visited.has(source))
        .slice(0, MOST_WIDE);
    }
    return undefined;
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
  'HTTP_STREAM_POOL_GROUP',
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
/** Objects whose references lead to other requests. */
const CONTROLLERS: ReadonlySet<string> = new Set(['HTTP_STREAM_POOL_GROUP']);
/** The references from a job to its socket that are followed: job, session or connect job, socket. */
const MOST_DEEP = 6;
const MOST_WIDE = 20;
