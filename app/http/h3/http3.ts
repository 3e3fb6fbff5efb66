import {type Exchange, type ExchangeOptions, earliest} from '../exchange.ts';
import {MultiplexedWriter, ServerWriter} from '../multiplexedWriter.ts';
import type {StatedPriority} from '../priority.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {ServerRules} from '../serverRules.ts';
import type {Connection, StreamPiece, TransportEvent, Transports} from '../transports.ts';
import {H3Client} from './h3Client.ts';
import {H3Server, qpackSettings} from './h3Server.ts';

export interface Http3Options extends ExchangeOptions {
  /** The pane's scheduler. If the client chooses the priority of a request, its choice depends on the scheduler. */
  readonly scheduler: SchedulerName;
  readonly server: ServerRules;
  /**
   * The number of streams on which a client that resumes a session may send requests before the handshake is complete
   * (RFC 9001 §4.6). It is null if the client does not resume a session.
   */
  readonly earlyStreams: number | null;
  /** The largest size of QPACK's dynamic tables, in bytes. If it is 0, both ends use only the static table. */
  readonly qpackTableBytes: number;
  /** Whether each request has a datagram of its own. Otherwise requests that are made together share datagrams. */
  readonly sendsRequestsApart: boolean;
}

type QuicTransports = Pick<Transports, 'connect' | 'writeStreams' | 'read'>;

/** HTTP/3 (RFC 9114) over one QUIC connection. */
export class Http3 implements Exchange {
  readonly #network: QuicTransports;
  readonly #connection: Connection;
  readonly #options: Http3Options;
  readonly #client: H3Client;
  readonly #server: H3Server;
  readonly #clientWriter: MultiplexedWriter<StreamPiece>;
  readonly #serverWriter: ServerWriter<StreamPiece>;
  /** Whether the client can write requests. */
  #isReady = false;
  /** Whether the server can write. It can write as soon as data have arrived, even before its handshake is complete. */
  #isServerReady = false;
  /** The stream of the request that the client writes now, if each request has a datagram of its own. */
  #request: number | null = null;
  /** The first piece of the next request, which waits until the transport has sent the request before it. */
  #held: StreamPiece | undefined;

  constructor(network: QuicTransports, connection: Connection, options: Http3Options) {
    this.#network = network;
    this.#connection = connection;
    this.#options = options;
    const {requestBytes, token, respond, scheduler, thinkNs, thinksInTurn, listener, server} = options;
    const {starts, mostQpackTableBytes = Number.POSITIVE_INFINITY} = server;
    const qpackTableBytes = Math.min(options.qpackTableBytes, mostQpackTableBytes);
    this.#client = new H3Client({
      requestBytes,
      token,
      scheduler,
      onResponse: (object, event) => listener.handleResponse(object, event),
    });
    // A client that sends early data remembers the settings of the server (RFC 9114 §7.2.4.2).
    if (options.earlyStreams !== null) this.#client.remember(qpackSettings(qpackTableBytes));
    this.#server = new H3Server(
      {respond, thinkNs, thinksInTurn, starts, scheduler: server.scheduling, qpackTableBytes},
      server,
    );
    this.#clientWriter = new MultiplexedWriter(pieces => network.writeStreams(connection.client, pieces));
    this.#serverWriter = new ServerWriter(pieces => network.writeStreams(connection.server, pieces), server.aheadBytes);
  }

  get connections(): readonly Connection[] {
    return [this.#connection];
  }

  start(): void {
    this.#network.connect(this.#connection.client);
    if (this.#options.earlyStreams !== null) this.#handleReady(this.#options.earlyStreams);
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    this.#client.request(object, url, priority);
  }

  reprioritize(object: number, priority: StatedPriority): void {
    this.#client.reprioritize(object, priority);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const isClient = event.endpoint === this.#connection.client;
    if (!isClient && (event.type === 'connected' || event.type === 'readable')) this.#isServerReady = true;
    if (event.type === 'connected') {
      if (isClient) this.#handleReady(event.streams);
    } else if (event.type === 'readable') {
      const bytes = this.#network.read(event.endpoint, event.stream);
      if (isClient) this.#client.handleBytes(event.stream, bytes);
      else this.#server.handleBytes(event.stream, bytes, nowNs);
    } else if (event.type === 'room') {
      this.#serverWriter.handleRoom(event.bytes);
    } else if (event.type === 'finished') {
      if (isClient) this.#client.handleFinished(event.stream);
      else this.#server.handleFinished(event.stream, nowNs);
    } else if (event.type === 'reset') {
      if (isClient) this.#client.handleReset(event.stream, event.code);
      else this.#server.handleReset(event.stream);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      (isClient ? this.#clientWriter : this.#serverWriter).handleGone();
      if (isClient) {
        this.#held = undefined;
        this.#client.handleGone(event.type === 'closed' ? event.reason : 'peer-closed');
      }
    }
  }

  write(nowNs: number): boolean {
    this.#request = null;
    const isRefused = this.#isReady && this.#clientWriter.write(() => this.#pollClient());
    return (this.#isServerReady && this.#serverWriter.write(this.#server, nowNs)) || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return earliest(this.#held === undefined ? undefined : nowNs, this.#server.pollTimeoutNs(nowNs));
  }

  /** Returns the client's next piece, or undefined if there is none or it waits for the next call of `write`. */
  #pollClient(): StreamPiece | undefined {
    const piece = this.#held ?? this.#client.poll();
    this.#held = undefined;
    if (piece === undefined || !this.#options.sendsRequestsApart || piece.stream % 4 !== 0) return piece;
    if (this.#request !== null && piece.stream !== this.#request) {
      this.#held = piece;
      return undefined;
    }
    this.#request = piece.stream;
    return piece;
  }

  /** Makes the client write requests from now on. The listener is notified only once. */
  #handleReady(streams: number): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.listener.handleConnected(0, streams);
  }
}
