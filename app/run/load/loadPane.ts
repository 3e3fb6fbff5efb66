import {
  type Exchange,
  type ExchangeListener,
  earliest,
  hasEnded,
  type OwnTransport,
  type ResponseEvent,
} from '../../http/exchange.ts';
import {OriginsExchange} from '../../http/origins.ts';
import type {StatedPriority} from '../../http/priority.ts';
import {pageResponses} from '../../http/response.ts';
import {TlsTickets} from '../../http/tls/tlsTickets.ts';
import type {TransportEvent, Transports} from '../../http/transports.ts';
import {type Failure, failureText, isMissing} from '../../page/failure.ts';
import {outlineOf} from '../../page/outline.ts';
import type {Page} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import type {SendBuffer} from '../../pipelines/setting.ts';
import type {Discovery} from '../scenario/scenario.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns} from '../trace/columns.ts';
import type {TraceData} from '../trace/traceData.ts';
import type {Exhausted, LiveNetwork, Network, NetworkCalls} from './loadNetwork.ts';
import {LoggedNetwork} from './loggedNetwork.ts';
import {type ModelOptions, modelsOf, namesOf} from './models.ts';
import {type EarlyEnd, PageLoader} from './pageLoader.ts';
import type {NamedPlace} from './places.ts';
import {TraceRecorder} from './traceRecorder.ts';

/** The trace of a live load in progress. */
export interface LiveTrace {
  /** The trace so far, with the outcome `loading`. */
  soFar(nowNs: number): TraceData;
}

/**
 * The options of a load. They are the same for all panes of a run, except for the browser, the server and the token.
 */
export interface LoadOptions extends ModelOptions {
  readonly discovery: Discovery;
  readonly thinkNs: number;
  /** See `ThinkOptions.thinksInTurn`. */
  readonly thinksInTurn?: boolean;
  readonly timeLimitNs: number;
  /**
   * The factor for the times that scripts, style and layout took in a page's recording. It is at least 0; the default
   * is 1.
   */
  readonly cpuFactor?: number;
  /**
   * The path's rate from the server to the client when the load starts, in bit/s. If the rate follows a trace, this is
   * the mean of the trace.
   */
  readonly rateBps: number;
  /**
   * Time until a refused write is repeated for the first time. In a computed load, this is the time that the link needs
   * for one full packet, but at least 1 ms and at most 100 ms.
   */
  readonly retryNs: number;
  /** See `ExchangeOptions.token`. */
  readonly token?: string | undefined;
}

interface LoadKind {
  /** Whether the server is remote and may have a different page. */
  readonly isLive: boolean;
  /** Whether the client moves to another path during the load. */
  readonly handsOver: boolean;
}

interface LiveOptions extends LoadOptions {
  /** Called once, before anything is sent. From then on, `trace.soFar` returns the load's trace so far. */
  readonly onStart?: (trace: LiveTrace) => void;
}

/**
 * Loads a page through a pane, from the handshake to the last object, and returns the trace. `network` serves this pane
 * alone. `page` is the result of `pageAs` for this pane. Everything happens in the network's virtual time, so the
 * result depends on the arguments alone.
 */
export function loadPane(
  network: Network,
  page: Page,
  pane: Pane,
  options: LoadOptions,
  handOvers: readonly HandOver[] = [],
): TraceData {
  const handsOver = handOvers.length > 0;
  return new Load(network, page, pane, {...options, isLive: false, handsOver}).run(network, new HandOvers(handOvers));
}

/** A page load that shares its network with others. */
export interface SharedLoad {
  /** Advances together with the networks of the other loads, and reports the events of all of them. */
  readonly network: Network;
  /** The result of `pageAs` for the pane. */
  readonly page: Page;
  readonly pane: Pane;
  readonly options: LoadOptions;
}

/**
 * Loads pages at the same time over one path, and returns their traces. All networks are parts of one network, so
 * advancing one of them advances all. When a load has ended, its application sends nothing more.
 */
export function loadTogether(shared: readonly SharedLoad[], handOvers: readonly HandOver[]): readonly TraceData[] {
  const handsOver = handOvers.length > 0;
  const loads = shared.map(
    ({network, page, pane, options}) => new Load(network, page, pane, {...options, isLive: false, handsOver}),
  );
  const network = shared[0]?.network;
  const traces = new Map<Load, TraceData>();
  const coming = new HandOvers(handOvers);
  for (const load of loads) load.start();
  while (network !== undefined && traces.size < loads.length) {
    const running = loads.filter(load => !traces.has(load));
    const events = network.advance(Math.min(coming.nextNs, ...running.map(load => load.write())));
    for (const load of running) load.handleEvents(network, load.ownOf(events), events.length === 0);
    coming.handle(network.nowNs, running);
    for (const load of running) if (load.isOver) traces.set(load, load.finish());
  }
  return loads.flatMap(load => traces.get(load) ?? []);
}

/** A time at which the client moves to another path. */
export interface HandOver {
  readonly atNs: number;
  /** How long a client needs to notice that its connections are dead, if they do not follow it. */
  readonly noticeNs: number;
  /** Moves the client to the other path. */
  readonly apply: () => void;
}

/** The hand-overs of a run, in order of time. */
class HandOvers {
  readonly #coming: HandOver[];

  constructor(handOvers: readonly HandOver[]) {
    this.#coming = [...handOvers];
  }

  /** The time of the next hand-over; infinite if there is none. */
  get nextNs(): number {
    return this.#coming[0]?.atNs ?? Number.POSITIVE_INFINITY;
  }

  /** Makes the hand-overs that are due. */
  handle(nowNs: number, loads: readonly Load[]): void {
    while (this.nextNs <= nowNs) {
      const handOver = this.#coming.shift();
      for (const load of loads) load.prepareHandOver(handOver?.noticeNs ?? 0);
      handOver?.apply();
    }
  }
}

/**
 * Loads a page from a remote server on a real network. The server uses its own settings, not those of the pane. In the
 * trace, received bytes are attributed to the object whose request they answer. The trace lacks everything that the
 * client cannot observe.
 */
export function loadPaneLive(
  network: LiveNetwork,
  page: Page,
  pane: Pane,
  {onStart, ...options}: LiveOptions,
): Promise<TraceData> {
  const load = new Load(network, page, pane, {...options, isLive: true, handsOver: false});
  onStart?.(load);
  return load.runLive(network);
}

class Load {
  readonly #network: NetworkCalls;
  readonly #transports: LoggedNetwork;
  readonly #options: LoadOptions & LoadKind;
  /** Opens connections, and HTTP over them. */
  readonly #openExchange: () => Exchange;
  /** The current exchange. A hand-over replaces it if some of its connections do not follow the client. */
  #exchange: Exchange;
  /** How many connections earlier exchanges had. */
  #connectionsBefore = 0;
  /**
   * The places to which the client has connected, as indexes of `Places.places`. A place is a server with connections
   * of its own ({@link NamedPlace}). If there is only one, its index is 0. The client can resume its TLS sessions with
   * these servers.
   */
  readonly #sessions = new Set<number>();
  /** The tickets that the client has, by place. */
  readonly #tickets = new Map<number, TlsTickets>();
  /** When the client replaces connections that died in a hand-over; null if it need not. */
  #reconnectNs: number | null = null;
  /** The URL and the priority of each requested object. */
  readonly #requested = new Map<number, {readonly url: string; readonly priority: StatedPriority | undefined}>();
  readonly #loader: PageLoader;
  readonly #recorder: TraceRecorder;
  /** The reason why each closed endpoint was closed, by endpoint. */
  readonly #closed = new Map<number, string>();
  #endpoints: ReadonlySet<number> = new Set();
  #servers: ReadonlySet<number> = new Set();
  /** The reason why no object can be requested any more, or null. */
  #lost: string | null = null;
  /** The limit that ended the load, or null. */
  #exhausted: Exhausted | null = null;
  #isTimeUp = false;
  readonly #placeOf: (exchange: Exchange, connection: number) => NamedPlace | undefined;
  /** Whether a transport refused data, so that the write must be repeated. */
  #isRefused = false;
  /** The network's time. It changes only when the network advances. */
  #nowNs = 0;
  #retryNs: number;
  /** When the load begins. Null once it has begun. */
  #startNs: number | null;
  /** The object to which the bytes of the current event belong. Null if they belong to none. */
  #read: number | null = null;
  /**
   * For live loads: whether each stream carries one request and its response in frames, as in HTTP/3. In HTTP/1.1, a
   * stream carries many requests and responses.
   */
  readonly #hasFrames: boolean;
  /** For live loads: the current event, if bytes can be read because of it. Otherwise null. */
  #reading: Extract<TransportEvent, {type: 'readable'}> | null = null;

  constructor(network: NetworkCalls, page: Page, pane: Pane, options: LoadOptions & LoadKind) {
    this.#network = network;
    this.#options = options;
    this.#retryNs = options.retryNs;
    this.#hasFrames = pipelineOf(pane.pipeline).live?.hasFrames === true;
    this.#transports = new LoggedNetwork(network, (endpoint, stream, bytes, object) => {
      this.#handleWritten(endpoint, stream, bytes, object);
    });
    const models = modelsOf(page, pane, options);
    const {places} = models;
    // all times of a live load are measured, so the time that the modelled browser needs to start (`startMs`) is not
    // added
    this.#startNs = options.isLive ? 0 : Math.round((models.browser.rules?.startMs ?? 0) * 1e6);
    const listener: ExchangeListener = {
      handleConnected: (connection, streams) => {
        this.#recorder.handleConnected(this.#connectionsBefore + connection, streams, this.#nowNs);
        this.#loader.start();
      },
      handleLost: reason => {
        this.#lost ??= reason;
      },
      handleResponse: (object, event) => {
        this.#read ??= object;
        this.#noteRead(object, event);
        this.#loader.handleResponse(object, event, this.#nowNs);
      },
      handleStream: (object, stream) => this.#recorder.handleStream(object, stream),
    };
    const openOptions = {
      respond: pageResponses(page),
      thinkNs: options.thinkNs,
      thinksInTurn: options.thinksInTurn,
      browser: models.browser,
      server: models.server,
      requestBytes: page.requestBytes,
      token: options.token,
      bufferBytes: (sendBuffer: SendBuffer | null) => bufferBytes(sendBuffer, page),
      rateBps: options.rateBps,
      handsOver: options.handsOver,
    };
    const open = (transports: Transports, listener: ExchangeListener, place = 0): Exchange => {
      const handleConnected = (connection: number, streams: number): void => {
        this.#sessions.add(place);
        listener.handleConnected(connection, streams);
      };
      return pipelineOf(pane.pipeline).open(transports, pane, {
        ...openOptions,
        hasSession: this.#sessions.has(place),
        tickets: this.#ticketsOf(place),
        listener: {...listener, handleConnected},
      });
    };
    this.#openExchange = () =>
      places === undefined
        ? open(this.#transports, listener)
        : new OriginsExchange(this.#transports, places, listener, open);
    this.#recorder = new TraceRecorder(pane, page, namesOf(models));
    const placeOf = (exchange: Exchange, connection: number): NamedPlace | undefined =>
      exchange instanceof OriginsExchange ? places?.places[exchange.placeOfConnection(connection)] : undefined;
    this.#placeOf = placeOf;
    this.#exchange = this.#openExchange();
    this.#adopt(this.#exchange);
    this.#loader = new PageLoader({
      discovery: options.discovery,
      known: page.objects.map(({url}) => url),
      html: page.objects[0]?.body ?? NO_HTML,
      ...(options.isLive ? {expected: page.objects.map(({body}) => body)} : {}),
      request: (object, url, priority) => {
        this.#requested.set(object, {url, priority});
        this.#exchange.request(object, url, priority);
      },
      page: {outline: outlineOf(page), bodies: page.objects.map(({body}) => body)},
      ...(models.browser.rules !== undefined && {
        browser: {
          rules: models.browser.rules,
          originOf: (object: number) => models.origins.of[object] ?? 0,
          hasPriorities: pipelineOf(pane.pipeline).hasPriorities === true,
          carriesOne: pipelineOf(pane.pipeline).carriesOne?.(pane) === true,
          reprioritize: (object: number, priority: StatedPriority) => {
            const request = this.#requested.get(object);
            if (request !== undefined) this.#requested.set(object, {...request, priority});
            this.#exchange.reprioritize?.(object, priority);
          },
          preconnect: (origin: string, isAnonymous: boolean) => this.#exchange.preconnect?.(origin, isAnonymous),
          ...(page.recording === undefined
            ? {}
            : {recorded: {recording: page.recording, cpuFactor: options.cpuFactor ?? 1}}),
        },
      }),
      onEvent: event => this.#recorder.handleObject(event, this.#nowNs),
    });
  }

  #ticketsOf(place: number): TlsTickets {
    const tickets = this.#tickets.get(place) ?? new TlsTickets();
    this.#tickets.set(place, tickets);
    return tickets;
  }

  run(network: Network, handOvers: HandOvers): TraceData {
    this.start();
    while (!this.isOver) {
      const events = network.advance(Math.min(this.write(), handOvers.nextNs));
      this.handleEvents(network, events, events.length === 0);
      if (network.nowNs >= handOvers.nextNs) handOvers.handle(network.nowNs, [this]);
    }
    return this.finish();
  }

  /**
   * Call this before the client moves to another path. If all connections follow the client, this does nothing.
   * Otherwise, when the client notices that some connections are dead, it closes all, opens new ones, and requests
   * again each object that has not ended.
   */
  prepareHandOver(noticeNs: number): void {
    const {connections} = this.#exchange;
    const follows = connections.every(({client}) => this.#network.canChangeAddress?.(client) === true);
    // before the load begins, its connections exist already, with the former address: they are replaced when it begins
    if (!follows) this.#reconnectNs = this.#startNs ?? this.#nowNs + noticeNs;
  }

  #reconnect(): void {
    this.#reconnectNs = null;
    for (const {client} of this.#exchange.connections) this.#network.abort?.(client);
    this.#closed.clear();
    this.#connectionsBefore += this.#exchange.connections.length;
    this.#exchange = this.#openExchange();
    this.#adopt(this.#exchange);
    this.#exchange.start();
    for (const object of this.#loader.startAgain()) {
      const request = this.#requested.get(object);
      if (request !== undefined) this.#exchange.request(object, request.url, request.priority);
    }
  }

  /** Handles the connections of a new exchange from now on, and no others. */
  #adopt(exchange: Exchange): void {
    const {connections} = exchange;
    this.#endpoints = new Set(connections.flatMap(({client, server}) => [client, server]));
    this.#servers = new Set(connections.map(({server}) => server));
    this.#recorder.addConnections(connections, connection => this.#placeOf(exchange, connection));
  }

  start(): void {
    if (this.#startNs === null || this.#nowNs < this.#startNs) return;
    this.#startNs = null;
    if (this.#reconnectNs === null) this.#exchange.start();
  }

  /** Writes what can be written. Returns the time at which the network must stop if it has reported no event before. */
  write(): number {
    this.start();
    if (this.#reconnectNs !== null && this.#nowNs >= this.#reconnectNs) this.#reconnect();
    this.#isRefused = this.#exchange.write(this.#nowNs);
    return this.#nextNs();
  }

  /** Handles the events up to the network's time. `isQuiet` states that the network reported no event of any load. */
  handleEvents(network: Network, events: readonly TransportEvent[], isQuiet: boolean): void {
    this.#nowNs = network.nowNs;
    for (const event of events) this.#handle(event);
    this.#loader.settle(this.#nowNs);
    this.#exhausted = network.exhausted;
    this.#isTimeUp = isQuiet && this.#nowNs >= this.#options.timeLimitNs;
  }

  /** Returns the events of the load's own endpoints. */
  ownOf(events: readonly TransportEvent[]): readonly TransportEvent[] {
    return events.filter(({endpoint}) => this.#endpoints.has(endpoint));
  }

  get isOver(): boolean {
    const hasEnded = this.#loader.isDone || this.#clientClosed() !== null;
    return hasEnded || this.#exhausted !== null || this.#isTimeUp;
  }

  async runLive(network: LiveNetwork): Promise<TraceData> {
    this.start();
    while (!this.#loader.isDone && this.#clientClosed() === null) {
      this.#isRefused = this.#exchange.write(this.#nowNs);
      const events = await network.advance(this.#nextNs());
      this.#nowNs = network.nowNs;
      for (const event of events) this.#handleLive(event);
      this.#loader.settle(this.#nowNs);
      if (this.#nowNs >= this.#options.timeLimitNs) break;
    }
    return this.finish();
  }

  soFar(nowNs: number): TraceData {
    const trace = this.#recorder.finish({outcome: 'loading', reason: null}, this.#columns(), this.#loader.milestones());
    return {...trace, endNs: Math.max(trace.endNs, nowNs)};
  }

  /**
   * Handles an event of a live load and records to which object the received bytes belong. The bytes of a message
   * belong to the object that the message delivers. The bytes of a stream with frames belong to the object that was
   * requested on the stream.
   */
  #handleLive(event: TransportEvent): void {
    this.#read = null;
    this.#reading = event.type === 'readable' ? event : null;
    this.#handle(event);
    const readBytes = this.#transports.takeReadBytes();
    if (event.type === 'message')
      this.#recorder.handleRead(event.endpoint, event.stream, event.bytes.length, this.#read);
    else if (event.type === 'readable' && this.#hasFrames) {
      const object = this.#recorder.requestedOn(event.endpoint, event.stream);
      if (object !== null) this.#recorder.handleRead(event.endpoint, event.stream, readBytes, object);
    }
  }

  /**
   * For HTTP/1.1 in live loads: records the bytes of a response event. One stream carries all responses of a
   * connection, one after the other, so the sizes of heads and bodies show to which object the bytes belong.
   */
  #noteRead(object: number, event: ResponseEvent): void {
    if (this.#reading === null || this.#hasFrames) return;
    const {endpoint, stream} = this.#reading;
    if (event.type === 'head' && event.headBytes !== undefined)
      this.#recorder.handleRead(endpoint, stream, event.headBytes, object);
    else if (event.type === 'body') this.#recorder.handleRead(endpoint, stream, event.bytes.length, object);
    // The end of a bad response is unknown, so all later bytes of the stream belong to no object.
    else if (event.type === 'bad') this.#recorder.handleRead(endpoint, stream, Number.POSITIVE_INFINITY, null);
  }

  #handle(event: TransportEvent): void {
    // connections that died in a hand-over may still report that they were closed
    if (this.#connectionsBefore > 0 && !this.#endpoints.has(event.endpoint)) return;
    if (event.type === 'closed' || event.type === 'peer-closed') {
      const reason = event.type === 'closed' ? event.reason : 'peer-closed';
      if (!this.#closed.has(event.endpoint)) this.#closed.set(event.endpoint, reason);
    }
    // Once all connections are closed at the client, the load ends, so the exchange need not handle this event.
    if (this.#clientClosed() === null) this.#exchange.handle(event, this.#nowNs);
  }

  #handleWritten(endpoint: number, stream: number, bytes: number, object: number | null): void {
    // the server of a live load is on another machine, and only the client writes here
    if (this.#options.isLive || this.#servers.has(endpoint)) this.#retryNs = this.#options.retryNs;
    this.#recorder.handleWritten(endpoint, stream, bytes, object, this.#nowNs);
  }

  /**
   * Returns the time at which the network must stop if it has reported no event before. A refused write is repeated at
   * growing intervals.
   */
  #nextNs(): number {
    const nowNs = this.#nowNs;
    const {timeLimitNs} = this.#options;
    const timers = earliest(
      this.#exchange.pollTimeoutNs(nowNs),
      this.#loader.pollTimeoutNs(nowNs),
      this.#startNs ?? undefined,
      this.#reconnectNs ?? undefined,
    );
    let nextNs = Math.min(timeLimitNs, timers ?? timeLimitNs);
    if (this.#isRefused) {
      nextNs = Math.min(nextNs, nowNs + this.#retryNs);
      this.#retryNs = Math.min(this.#retryNs * RETRY_GROWTH, LONGEST_RETRY_NS);
    }
    return Math.round(nextNs);
  }

  finish(): TraceData {
    const end = this.#earlyEnd();
    if (end !== null) this.#loader.handleEnd(end);
    else this.#loader.handleUnnamed();
    const trace = this.#recorder.finish(
      {outcome: end?.kind ?? 'complete', reason: null},
      this.#columns(),
      this.#loader.milestones(),
    );
    if (end !== null) return {...trace, reason: failureText({...end, bytes: 0, ofBytes: null})};
    const failures = trace.objects.map(({failure}) => failure).filter(failure => failure !== null);
    const failed = failures.filter(failure => !isMissing(failure));
    const [first] = failed;
    if (first === undefined) return trace;
    const reason = `${failed.length} of ${trace.objects.length} objects failed: ${this.#failureText(first)}`;
    return {...trace, outcome: 'partial', reason};
  }

  /**
   * Describes a failure in one line. For status 403, the line adds that the server requires a token, or that it rejects
   * the token that was sent.
   */
  #failureText(failure: Failure): string {
    if (failure.kind !== 'status' || failure.status !== FORBIDDEN) return failureText(failure);
    const why = this.#options.token === undefined ? 'requires a token' : 'rejects this token';
    return `${failureText(failure)}, the server ${why}`;
  }

  #earlyEnd(): EarlyEnd | null {
    if (this.#loader.isDone) return null;
    const client = this.#clientClosed();
    if (client !== null) return {kind: 'aborted', reason: client};
    for (const server of this.#servers) {
      const reason = this.#closed.get(server);
      if (reason !== undefined) return {kind: 'aborted', reason: `server ${reason}`};
    }
    if (this.#exhausted !== null) return {kind: 'work-limit', ...this.#exhausted};
    return {kind: 'time-limit', limitMs: this.#options.timeLimitNs / 1e6};
  }

  /**
   * Returns the reason why the load cannot continue, or null while it can. Either no object can be requested any more
   * (`#lost`), or no connection can carry requests ({@link hasEnded}). In the second case, the result is the reason of
   * the connection that closed first.
   */
  #clientClosed(): string | null {
    if (this.#closed.size === 0 || this.#lost !== null) return this.#lost;
    if (!hasEnded(this.#exchange, client => this.#closed.has(client))) return null;
    for (const [endpoint, reason] of this.#closed) if (!this.#servers.has(endpoint)) return reason;
    return null;
  }

  #columns() {
    const network = this.#network;
    const {own} = this.#exchange;
    const packets = network.packets();
    const [chunks, blocked] = [network.chunks(), network.blocked()];
    return {
      packets,
      chunks: own === undefined ? chunks : numberedChunks(own, packets, chunks),
      samples: network.samples(),
      blocked: own === undefined ? blocked : withWaits(own, blocked),
      traffic: network.traffic?.(),
    };
  }
}

/**
 * Returns the size of a send buffer in bytes. If the pane gives the size as a number of objects, the result is that
 * number times the page's largest response. Without a size, the buffer holds the whole page.
 */
function bufferBytes(sendBuffer: SendBuffer | null, page: Page): number {
  const responses = page.objects.map(object => (object.body?.length ?? 0) + page.headerBytes + SPARE_HEADER_BYTES);
  const [largest, whole] = [
    responses.reduce((most, bytes) => Math.max(most, bytes), 0),
    responses.reduce((sum, bytes) => sum + bytes, 0),
  ];
  if (sendBuffer === null) return clampBuffer(Math.max(whole * 2, USUAL_BUFFER_BYTES));
  return clampBuffer('bytes' in sendBuffer ? sendBuffer.bytes : sendBuffer.objects * largest);
}

/** Limits a size to the range of send buffers that the transports accept. */
function clampBuffer(bytes: number): number {
  return Math.min(Math.max(bytes, 1024), 2 ** 30);
}

const NO_HTML = new Uint8Array(0);
/** Bytes added to each response, because a header may exceed the page's header size. */
const SPARE_HEADER_BYTES = 16;
/** The default size of the native core's send buffers. */
const USUAL_BUFFER_BYTES = 4 * 1024 * 1024;
/** The status Forbidden (RFC 9110 §15.5.4). */
const FORBIDDEN = 403;
const RETRY_GROWTH = 1.1;
const LONGEST_RETRY_NS = 1e9;

/**
 * Returns the network's chunks with the exchange's own frame numbers. The network does not know what a bare datagram
 * carries, but the exchange knows the number and stream of the frame in each datagram.
 */
function numberedChunks(own: OwnTransport, packets: PacketColumns, chunks: ChunkColumns): ChunkColumns {
  const first = chunks.first.slice();
  const [stream, retransmission] = [chunks.stream.slice(), chunks.retransmission.slice()];
  for (const [row, packet] of chunks.packet.entries()) {
    const frame = own.frameOf(packets.endpoint[packet] ?? 0, chunks.message[row] ?? 0);
    if (frame === undefined) continue;
    first[row] = frame.number;
    stream[row] = frame.stream;
    retransmission[row] = frame.isRepeat ? 1 : 0;
  }
  return {...chunks, first, stream, retransmission};
}

/**
 * Returns the data that waited in the transports' receivers, followed by the frames that waited in the exchange itself.
 */
function withWaits(own: OwnTransport, blocked: BlockedColumns): BlockedColumns {
  const waits = own.waits();
  return {
    endpoint: Uint32Array.from([...blocked.endpoint, ...waits.map(({endpoint}) => endpoint)]),
    stream: Uint32Array.from([...blocked.stream, ...waits.map(({stream}) => stream)]),
    first: Float64Array.from([...blocked.first, ...waits.map(({number}) => number)]),
    bytes: Uint32Array.from([...blocked.bytes, ...waits.map(({bytes}) => bytes)]),
    startNs: Float64Array.from([...blocked.startNs, ...waits.map(({startNs}) => startNs)]),
    endNs: Float64Array.from([...blocked.endNs, ...waits.map(({endNs}) => endNs)]),
  };
}
