import type {Exchange, ExchangeOptions} from '../exchange.ts';
import {MultiplexedWriter, ServerWriter} from '../multiplexedWriter.ts';
import type {StatedPriority} from '../priority.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {ServerRules} from '../serverRules.ts';
import type {Connection, TcpTransports, TransportEvent} from '../transports.ts';
import {H2Client} from './h2Client.ts';
import type {OutgoingFrames} from './h2Peer.ts';
import {H2Server} from './h2Server.ts';

export interface Http2Options extends ExchangeOptions {
  /** The pane's scheduler. If the client chooses the priority of a request, its choice depends on the scheduler. */
  readonly scheduler: SchedulerName;
  readonly server: ServerRules;
  /** Whether requests state a chain of dependencies besides their priorities, as in Chromium (`streamChain.ts`). */
  readonly hasChain?: boolean | undefined;
  readonly scheme: 'http' | 'https';
}

/**
 * HTTP/2 (RFC 9113) over one TCP connection. Both ends know in advance that they speak HTTP/2 (§3.3). A real browser
 * negotiates the version by ALPN during the TLS handshake, which needs no further round trip.
 */
export class Http2 implements Exchange {
  readonly #network: TcpTransports;
  readonly #connection: Connection;
  readonly #options: Http2Options;
  readonly #client: H2Client;
  readonly #server: H2Server;
  readonly #clientWriter: MultiplexedWriter<OutgoingFrames>;
  readonly #serverWriter: ServerWriter<OutgoingFrames>;

  constructor(network: TcpTransports, connection: Connection, options: Http2Options) {
    this.#network = network;
    this.#connection = connection;
    this.#options = options;
    const {scheme, requestBytes, respond, scheduler, hasChain, thinkNs, thinksInTurn, listener, server} = options;
    this.#client = new H2Client({
      scheme,
      requestBytes,
      scheduler,
      hasChain,
      onResponse: (object, event) => listener.handleResponse(object, event),
      onStream: (object, stream) => listener.handleStream(object, stream),
    });
    this.#server = new H2Server({respond, thinkNs, thinksInTurn, scheduler: server.scheduling}, server);
    const writeTo = (endpoint: number) => (frames: readonly OutgoingFrames[]) => network.write(endpoint, 0, frames);
    this.#clientWriter = new MultiplexedWriter(writeTo(connection.client));
    this.#serverWriter = new ServerWriter(writeTo(connection.server), server.aheadBytes);
  }

  get connections(): readonly Connection[] {
    return [this.#connection];
  }

  start(): void {
    this.#network.connect(this.#connection.client);
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    this.#client.request(object, url, priority);
  }

  reprioritize(object: number, priority: StatedPriority): void {
    this.#client.reprioritize(object, priority);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const isClient = event.endpoint === this.#connection.client;
    if (event.type === 'connected') {
      if (isClient) this.#handleConnected(event.streams);
      else this.#server.handleConnected();
    } else if (event.type === 'readable') {
      const bytes = this.#network.read(event.endpoint, event.stream);
      if (isClient) this.#client.handleBytes(bytes);
      else this.#server.handleBytes(bytes, nowNs);
    } else if (event.type === 'room') {
      this.#serverWriter.handleRoom(event.bytes);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      (isClient ? this.#clientWriter : this.#serverWriter).handleGone();
      if (isClient) this.#client.handleGone(event.type === 'closed' ? event.reason : 'peer-closed');
    }
  }

  write(nowNs: number): boolean {
    const isRefused = this.#clientWriter.write(() => this.#client.pollFrames());
    return this.#serverWriter.write(this.#server, nowNs) || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#server.pollTimeoutNs(nowNs);
  }

  #handleConnected(streams: number): void {
    this.#client.handleConnected();
    this.#options.listener.handleConnected(0, streams);
  }
}
