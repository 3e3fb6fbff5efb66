import {type Exchange, type ExchangeOptions, earliest} from '../exchange.ts';
import type {StatedPriority} from '../priority.ts';
import {Room} from '../room.ts';
import {SecondConnection} from '../secondConnection.ts';
import type {Connection, TransportEvent, Transports} from '../transports.ts';
import {HttpClient} from './h1Client.ts';
import {HttpServer} from './h1Server.ts';
import type {Wire} from './h1Wire.ts';

/** HTTP/1.1 over the streams of one or more connections (N07 §4; RFC 9112). */
export class Http1 implements Exchange {
  readonly #network: Pick<Transports, 'connect'>;
  readonly #wire: Wire;
  readonly #options: ExchangeOptions;
  readonly #client: HttpClient;
  readonly #ends: readonly Ends[];
  /** The connection of each endpoint, and whether the endpoint is the client. */
  readonly #byEndpoint = new Map<number, {readonly connection: number; readonly isClient: boolean}>();
  readonly #streams = new PaneStreams();
  /** The number of connections that have been started. They are started in order. */
  #started = 0;
  readonly #second: SecondConnection;

  constructor(network: Pick<Transports, 'connect'>, wire: Wire, options: ExchangeOptions) {
    this.#network = network;
    this.#wire = wire;
    this.#options = options;
    const {connections, backupNs, framing, requests, pipelineDepth, firstStreams} = wire;
    const {requestBytes, token} = options;
    this.#second = new SecondConnection(connections.length > 1 ? backupNs : undefined);
    this.#client = new HttpClient({
      requestBytes,
      token,
      isTagged: framing.isTagged,
      requests,
      pipelineDepth,
      firstStreams,
      onResponse: (object, event) => options.listener.handleResponse(object, event),
    });
    const {respond, thinkNs, thinksInTurn} = options;
    this.#ends = connections.map(connection => {
      const server = new HttpServer({respond, framing, thinkNs, thinksInTurn});
      const room = framing.mode === 'interleaving' ? new Room() : undefined;
      const isNot = {isConnected: false, isClientGone: false, isServerGone: false};
      return {connection, server, room, unsent: [], ...isNot};
    });
    for (const [connection, {client, server}] of connections.entries()) {
      this.#byEndpoint.set(client, {connection, isClient: true});
      this.#byEndpoint.set(server, {connection, isClient: false});
    }
  }

  get connections(): readonly Connection[] {
    return this.#wire.connections;
  }

  start(): void {
    const first = this.#wire.requests === 'when-free' ? 1 : this.connections.length;
    while (this.#started < first) this.#startNext();
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    this.#client.request(object, url, priority?.urgency);
    this.#startAsNeeded();
  }

  reprioritize(object: number, priority: StatedPriority): void {
    this.#client.reprioritize(object, priority.urgency);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const end = this.#byEndpoint.get(event.endpoint);
    const ends = end === undefined ? undefined : this.#ends[end.connection];
    if (end === undefined || ends === undefined) return;
    const {connection, isClient} = end;
    if (isClient && connection === 0) this.#second.handleFirst(event);
    if (event.type === 'connected' && isClient) {
      ends.isConnected = true;
      this.#streams.add(connection, event.streams);
      this.#client.handleConnected(event.streams);
      this.#options.listener.handleConnected(connection, event.streams);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      const reason = event.type === 'closed' ? event.reason : 'peer-closed';
      if (isClient) this.#handleClientGone(connection, reason);
      else ends.isServerGone = true;
    } else if (event.type === 'room') {
      ends.room?.handleRoom(event.bytes);
    } else if (event.type === 'renewed') {
      const number = this.#streams.numberOf({connection, stream: event.stream});
      if (isClient && number !== undefined) this.#client.handleRenewed(number);
    } else {
      const received = this.#wire.receive(event);
      if (received === undefined) return;
      const {stream, bytes} = received;
      if (!isClient) {
        ends.server.handleBytes(stream, bytes, nowNs);
        return;
      }
      const number = this.#streams.numberOf({connection, stream});
      if (number !== undefined) this.#client.handleBytes(number, bytes);
    }
    this.#startAsNeeded();
  }

  write(nowNs: number): boolean {
    if (this.#started === 1 && this.#second.isDue(nowNs)) this.#startNext();
    for (let request = this.#client.pollRequest(); request; request = this.#client.pollRequest()) {
      const {connection, stream} = this.#streams.at(request.stream);
      this.#ends[connection]?.unsent.push({...request, stream});
    }
    this.#renew();
    let isRefused = false;
    for (const ends of this.#ends) isRefused = this.#writeRequests(ends) || isRefused;
    for (const ends of this.#ends) isRefused = this.#writeResponses(ends, nowNs) || isRefused;
    return isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return earliest(this.#second.timeoutNs, ...this.#ends.map(({server}) => server.pollTimeoutNs(nowNs)));
  }

  #renew(): void {
    for (let used = this.#client.pollRenewal(); used !== undefined; used = this.#client.pollRenewal()) {
      const {connection, stream} = this.#streams.at(used);
      const ends = this.#ends[connection];
      if (ends?.isClientGone === false) this.#wire.renew?.(ends.connection.client, stream);
    }
  }

  #startNext(): void {
    const {client} = this.connections[this.#started++] ?? {};
    if (client !== undefined) this.#network.connect(client);
    if (this.#started > 1) this.#second.settle();
  }

  /**
   * Starts connections until each waiting request has a connection whose handshake is running, or all connections have
   * been started.
   */
  #startAsNeeded(): void {
    if (this.#client.waiting === 0) return;
    const underWay = this.#ends
      .slice(0, this.#started)
      .filter(({isConnected, isClientGone}) => !isConnected && !isClientGone).length;
    for (let missing = this.#client.waiting - underWay; missing > 0; missing--) this.#startNext();
  }

  #handleClientGone(connection: number, reason: string): void {
    const ends = this.#ends[connection];
    if (ends === undefined || ends.isClientGone) return;
    ends.isClientGone = true;
    for (const number of this.#streams.of(connection)) this.#client.handleGone(number, reason);
    // If all started connections failed before they were established, the server counts as unreachable, even if there
    // are connections that have not been started.
    const isLost = this.#ends.slice(0, this.#started).every(each => each.isClientGone && !each.isConnected);
    if (!isLost) return;
    // The listener counts the waiting requests as failed. A later request opens another connection.
    this.#client.forgetWaiting();
    this.#options.listener.handleLost(reason);
  }

  /**
   * Writes the waiting GETs of a client until the transport accepts no more. Over TCP, GETs that are written together
   * share segments (N07 §4). Returns true if some GETs still wait.
   */
  #writeRequests({connection, unsent, isClientGone}: Ends): boolean {
    if (isClientGone) return false;
    for (let next = unsent[0]; next !== undefined; next = unsent[0]) {
      const taken = this.#wire.send(connection.client, next.stream, next.bytes, next.object);
      if (taken === 0) return true;
      if (taken === next.bytes.length) unsent.shift();
      else next.bytes = next.bytes.subarray(taken);
    }
    return false;
  }

  #writeResponses({connection, server, room, isServerGone}: Ends, nowNs: number): boolean {
    if (isServerGone) return false;
    const endpoint = connection.server;
    while (room?.isLeft !== false) {
      const piece = server.peekPiece(nowNs);
      if (piece === undefined) return false;
      const {object, stream, bytes} = piece;
      const taken = this.#wire.send(endpoint, stream, bytes, object);
      if (taken === 0) return true;
      room?.handleWritten(taken);
      server.handleWritten(taken, nowNs);
    }
    return false;
  }
}

/** The state of the two ends of a connection. */
interface Ends {
  readonly connection: Connection;
  readonly server: HttpServer;
  /** The limit of the data that the server writes ahead. It is undefined for a sequential server. */
  readonly room: Room | undefined;
  /** GETs that the transport has not accepted yet. `stream` is the number of the stream in its connection. */
  readonly unsent: {object: number; stream: number; bytes: Uint8Array}[];
  isConnected: boolean;
  isClientGone: boolean;
  isServerGone: boolean;
}

/** A stream of one of a pane's connections. */
interface PaneStream {
  readonly connection: number;
  readonly stream: number;
}

/** The streams of all connections of a pane, numbered from 0 in the order in which the connections were established. */
class PaneStreams {
  readonly #all: PaneStream[] = [];
  /** The number of the first stream of each connection. */
  readonly #starts = new Map<number, number>();

  /** Adds the streams of a connection. */
  add(connection: number, streams: number): void {
    this.#starts.set(connection, this.#all.length);
    for (let stream = 0; stream < streams; stream++) this.#all.push({connection, stream});
  }

  /** Returns the number of a stream, or undefined if its connection has not been added. */
  numberOf({connection, stream}: PaneStream): number | undefined {
    const start = this.#starts.get(connection);
    return start === undefined ? undefined : start + stream;
  }

  /** Returns the numbers of a connection's streams. */
  of(connection: number): readonly number[] {
    return [...this.#all.keys()].filter(number => this.#all[number]?.connection === connection);
  }

  /** Returns the stream with this number. @throws RangeError if there is none, which is a bug */
  at(number: number): PaneStream {
    const stream = this.#all[number];
    if (stream === undefined) throw new RangeError(`invalid stream: ${number} (there are ${this.#all.length})`);
    return stream;
  }
}
