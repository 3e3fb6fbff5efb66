import {type Exchange, type ExchangeListener, earliest, hasEnded, type ResponseEvent} from './exchange.ts';
import type {StatedPriority} from './priority.ts';
import type {
  Connection,
  OpenQuic,
  OpenSctp,
  OpenTcp,
  Piece,
  StagePath,
  StreamPiece,
  TransportEvent,
  Transports,
} from './transports.ts';

/** Says where each object is requested if a page has objects of several origins. */
export interface Places {
  /** The first place is that of the document. */
  readonly places: readonly Place[];
  /** Returns the place and the host name at which an object is requested. */
  readonly targetOf: (object: number) => Target;
  /**
   * Returns the place and the host name at which the objects of an origin are requested, or undefined if the origin is
   * not known. It is called if the page asks the browser to connect to the origin early. `isAnonymous` says whether the
   * connection is for requests without credentials, for which some browsers use connections of their own.
   */
  readonly targetAt: (origin: string, isAnonymous: boolean) => Target | undefined;
  /** The time that the client needs to look up a host name for the first time. */
  readonly dnsNs: number;
}

/** A server, and connections to it. Requests at the same place share these connections; no other requests use them. */
export interface Place {
  /** The number of the server's host on the network. */
  readonly hostNumber: number;
}

export interface Target {
  /** The index of the place in {@link Places.places}. */
  readonly place: number;
  /**
   * The host name, which is looked up once. Several names may lead to one place. A browser looks up each of them,
   * because a connection may only be shared if the address is the same (RFC 9110 §4.3.3).
   */
  readonly host: string;
}

/** Opens the exchange of the place with this index. */
type Open = (network: Transports, listener: ExchangeListener, place: number) => Exchange;

/**
 * HTTP to several origins. Each place has an exchange of its own. The connections of a place are opened when the first
 * object is requested there, or when a connection is to be opened in advance. The host name is looked up before that.
 */
export class OriginsExchange implements Exchange {
  readonly connections: readonly Connection[];
  readonly #places: Places;
  readonly #parts: readonly Part[];
  readonly #byEndpoint = new Map<number, Part>();
  /** The requests, and the connections without a request, that wait for the address of a host. */
  #waiting: Waiting[] = [];
  /** For each host name that is looked up: the time at which the answer arrives, and whether it has arrived. */
  readonly #hosts = new Map<string, {readonly resolvedNs: number; readonly isKnown: boolean}>();

  constructor(network: Transports, places: Places, listener: ExchangeListener, open: Open) {
    this.#places = places;
    let first = 0;
    this.#parts = places.places.map((place, number): Part => {
      const objects = new Set<number>();
      const start = first;
      const exchange = open(
        new OnHost(network, place.hostNumber),
        {
          handleConnected: (connection, streams) => listener.handleConnected(start + connection, streams),
          handleLost: reason => {
            // if the document's place is lost, there is no page; if another place is lost, only its objects are missing
            if (number === 0) {
              listener.handleLost(reason);
              return;
            }
            const lost = [...objects];
            objects.clear();
            for (const object of lost) listener.handleResponse(object, {type: 'gone', reason});
          },
          handleResponse: (object, event: ResponseEvent) => {
            if (event.type === 'end' || event.type === 'gone') objects.delete(object);
            listener.handleResponse(object, event);
          },
          handleStream: (object, stream) => listener.handleStream(object, stream),
        },
        number,
      );
      first += exchange.connections.length;
      return {exchange, objects, isStarted: false};
    });
    this.connections = this.#parts.flatMap(({exchange}) => exchange.connections);
    for (const part of this.#parts)
      for (const {client, server} of part.exchange.connections) this.#byEndpoint.set(client, part).set(server, part);
  }

  /** Returns the index of the place to which the connection with this index belongs. */
  placeOfConnection(connection: number): number {
    let first = 0;
    for (const [place, {exchange}] of this.#parts.entries()) {
      first += exchange.connections.length;
      if (connection < first) return place;
    }
    return 0;
  }

  start(): void {
    this.#waiting.push({target: this.#places.targetOf(0)});
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    const target = this.#places.targetOf(object);
    const part = this.#parts[target.place];
    part?.objects.add(object);
    if (part?.isStarted && this.#hosts.get(target.host)?.isKnown) part.exchange.request(object, url, priority);
    else this.#waiting.push({target, request: {object, url, priority}});
  }

  reprioritize(object: number, priority: StatedPriority): void {
    const waiting = this.#waiting.find(({request}) => request?.object === object)?.request;
    if (waiting !== undefined) waiting.priority = priority;
    else this.#parts[this.#places.targetOf(object).place]?.exchange.reprioritize?.(object, priority);
  }

  preconnect(origin: string, isAnonymous: boolean): void {
    const target = this.#places.targetAt(origin, isAnonymous);
    if (target !== undefined) this.#waiting.push({target});
  }

  handle(event: TransportEvent, nowNs: number): void {
    this.#byEndpoint.get(event.endpoint)?.exchange.handle(event, nowNs);
  }

  write(nowNs: number): boolean {
    this.#beginKnown(nowNs);
    let isRefused = false;
    for (const {isStarted, exchange} of this.#parts) if (isStarted) isRefused = exchange.write(nowNs) || isRefused;
    return isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return earliest(
      ...this.#waiting.map(({target}) => this.#hosts.get(target.host)?.resolvedNs),
      ...this.#parts.map(({isStarted, exchange}) => (isStarted ? exchange.pollTimeoutNs(nowNs) : undefined)),
    );
  }

  hasEnded(isClosed: (client: number) => boolean): boolean {
    return this.#parts.every(({exchange}) => hasEnded(exchange, isClosed));
  }

  /**
   * Begins everything that waits for a host whose address is known. This may add more to `#waiting`: a QUIC client with
   * early data immediately reports that it is connected, and the listener then makes requests.
   */
  #beginKnown(nowNs: number): void {
    const unknown: Waiting[] = [];
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (!this.#begin(next, nowNs)) unknown.push(next);
    this.#waiting = unknown;
  }

  /**
   * Begins to look up the target's host name, if that has not been done. Once its address is known, starts the exchange
   * of the target's place, if that has not been done, and passes the request to it. Returns whether the address is
   * known.
   */
  #begin({target, request}: Waiting, nowNs: number): boolean {
    const {resolvedNs = nowNs + this.#places.dnsNs} = this.#hosts.get(target.host) ?? {};
    const isKnown = resolvedNs <= nowNs;
    this.#hosts.set(target.host, {resolvedNs, isKnown});
    const part = this.#parts[target.place];
    if (!isKnown || part === undefined) return isKnown;
    if (!part.isStarted) part.exchange.start();
    part.isStarted = true;
    if (request !== undefined) part.exchange.request(request.object, request.url, request.priority);
    return true;
  }
}

/** The exchange of one place. */
interface Part {
  readonly exchange: Exchange;
  /** Objects that were requested and whose responses have not ended. */
  readonly objects: Set<number>;
  isStarted: boolean;
}

/**
 * A request that waits for the address of a host. If `request` is absent, only a connection is to be opened in advance.
 */
interface Waiting {
  readonly target: Target;
  readonly request?: {readonly object: number; readonly url: string; priority: StatedPriority | undefined};
}

/**
 * A network on which all transports lead to one host. Bare UDP connections (`openUdp`) are not changed, because no
 * pipeline that uses them supports pages of several origins.
 */
class OnHost implements Transports {
  readonly #network: Transports;
  readonly #host: {readonly host?: number};

  constructor(network: Transports, host: number) {
    this.#network = network;
    this.#host = host === 0 ? {} : {host};
  }

  addPath(path: StagePath): number {
    return this.#network.addPath(path);
  }

  openTcp(options: OpenTcp): Connection {
    return this.#network.openTcp({...options, ...this.#host});
  }

  openSctp(options: OpenSctp): Connection {
    return this.#network.openSctp({...options, ...this.#host});
  }

  openQuic(options: OpenQuic): Connection {
    return this.#network.openQuic({...options, ...this.#host});
  }

  openUdp(): Connection {
    return this.#network.openUdp();
  }

  connect(endpoint: number): void {
    this.#network.connect(endpoint);
  }

  write(endpoint: number, stream: number, pieces: readonly Piece[]): number {
    return this.#network.write(endpoint, stream, pieces);
  }

  read(endpoint: number, stream: number): Uint8Array {
    return this.#network.read(endpoint, stream);
  }

  writeStreams(endpoint: number, pieces: readonly StreamPiece[]): number {
    return this.#network.writeStreams(endpoint, pieces);
  }

  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean {
    return this.#network.send(endpoint, stream, bytes, object);
  }

  renew(endpoint: number, stream: number): void {
    this.#network.renew(endpoint, stream);
  }

  maxMessageInPacketBytes(endpoint: number): number {
    return this.#network.maxMessageInPacketBytes(endpoint);
  }
}
