import {type Exchange, type ExchangeOptions, earliest} from '../exchange.ts';
import {MultiplexedWriter, ServerWriter} from '../multiplexedWriter.ts';
import type {StatedPriority} from '../priority.ts';
import type {SchedulerName} from '../scheduler.ts';
import {SecondConnection} from '../secondConnection.ts';
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
  /**
   * The time after which a second connection is started if the first one is not established, in ns from the start of
   * the first. It is absent if there is no second connection.
   */
  readonly backupNs?: number | undefined;
}

/**
 * HTTP/2 (RFC 9113) over one TCP connection. Both ends know in advance that they speak HTTP/2 (§3.3). A real browser
 * negotiates the version by ALPN during the TLS handshake, which needs no further round trip.
 *
 * There may be a second connection, which is started if the first one is not established in time. The client then uses
 * the connection that is ready first, and nothing is requested on the other one.
 */
export class Http2 implements Exchange {
  readonly connections: readonly Connection[];
  readonly #network: TcpTransports;
  readonly #options: Http2Options;
  readonly #client: H2Client;
  readonly #ends: readonly Ends[];
  /** The connection of each endpoint, and whether the endpoint is the client. */
  readonly #byEndpoint = new Map<number, {readonly ends: Ends; readonly isClient: boolean}>();
  /** The clients whose connections have ended. */
  readonly #gone = new Set<number>();
  readonly #second: SecondConnection;
  /** The number of connections that have been started. */
  #started = 0;
  /** The connection that the client uses. Undefined until one is ready. */
  #used: Ends | undefined;

  constructor(network: TcpTransports, connections: readonly Connection[], options: Http2Options) {
    this.connections = connections;
    this.#network = network;
    this.#options = options;
    const {scheme, requestBytes, respond, scheduler, hasChain, thinkNs, thinksInTurn, listener, server} = options;
    this.#second = new SecondConnection(connections.length > 1 ? options.backupNs : undefined);
    this.#client = new H2Client({
      scheme,
      requestBytes,
      scheduler,
      hasChain,
      onResponse: (object, event) => listener.handleResponse(object, event),
      onStream: (object, stream) => listener.handleStream(object, stream),
    });
    const writeTo = (endpoint: number) => (frames: readonly OutgoingFrames[]) => network.write(endpoint, 0, frames);
    this.#ends = connections.map((connection, number) => ({
      number,
      connection,
      server: new H2Server({respond, thinkNs, thinksInTurn, scheduler: server.scheduling}, server),
      clientWriter: new MultiplexedWriter(writeTo(connection.client)),
      serverWriter: new ServerWriter(writeTo(connection.server), server.aheadBytes),
    }));
    for (const ends of this.#ends) {
      this.#byEndpoint.set(ends.connection.client, {ends, isClient: true});
      this.#byEndpoint.set(ends.connection.server, {ends, isClient: false});
    }
  }

  start(): void {
    this.#startNext();
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    this.#client.request(object, url, priority);
  }

  reprioritize(object: number, priority: StatedPriority): void {
    this.#client.reprioritize(object, priority);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const end = this.#byEndpoint.get(event.endpoint);
    if (end === undefined) return;
    const {ends, isClient} = end;
    if (isClient && ends.number === 0) this.#second.handleFirst(event);
    if (event.type === 'connected') {
      if (isClient) this.#handleConnected(ends, event.streams);
      else ends.server.handleConnected();
    } else if (event.type === 'readable') {
      const bytes = this.#network.read(event.endpoint, event.stream);
      if (!isClient) ends.server.handleBytes(bytes, nowNs);
      // the settings that a server sends on an unused connection concern nobody
      else if (ends === this.#used) this.#client.handleBytes(bytes);
    } else if (event.type === 'room') {
      ends.serverWriter.handleRoom(event.bytes);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      (isClient ? ends.clientWriter : ends.serverWriter).handleGone();
      if (isClient) this.#handleGone(event.endpoint, event.type === 'closed' ? event.reason : 'peer-closed');
    }
  }

  write(nowNs: number): boolean {
    if (this.#started === 1 && this.#second.isDue(nowNs)) this.#startNext();
    let isRefused = this.#used?.clientWriter.write(() => this.#client.pollFrames()) === true;
    for (const {server, serverWriter} of this.#ends) isRefused = serverWriter.write(server, nowNs) || isRefused;
    return isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return earliest(this.#second.timeoutNs, ...this.#ends.map(({server}) => server.pollTimeoutNs(nowNs)));
  }

  hasEnded(isClosed: (client: number) => boolean): boolean {
    const usable = this.#used === undefined ? this.#ends.slice(0, Math.max(1, this.#started)) : [this.#used];
    return usable.every(({connection}) => isClosed(connection.client));
  }

  #startNext(): void {
    const {client} = this.connections[this.#started++] ?? {};
    if (client !== undefined) this.#network.connect(client);
  }

  #handleConnected(ends: Ends, streams: number): void {
    if (this.#used !== undefined) return;
    this.#used = ends;
    this.#client.handleConnected();
    this.#options.listener.handleConnected(ends.number, streams);
  }

  /** The requests fail if the client's connection has ended, or if no connection that was started can become ready. */
  #handleGone(client: number, reason: string): void {
    this.#gone.add(client);
    if (this.hasEnded(each => this.#gone.has(each))) this.#client.handleGone(reason);
  }
}

/** The two ends of a connection. All connections have the same client. */
interface Ends {
  /** The index of the connection. Connections are started in the order of their indices. */
  readonly number: number;
  readonly connection: Connection;
  readonly server: H2Server;
  readonly clientWriter: MultiplexedWriter<OutgoingFrames>;
  readonly serverWriter: ServerWriter<OutgoingFrames>;
}
