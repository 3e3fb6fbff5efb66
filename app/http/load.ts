import type {Page} from '../page/page.ts';
import {type Pane, pipelineOf} from '../pipelines/index.ts';
import type {SendBuffer} from '../pipelines/setting.ts';
import type {TransportEvent} from '../pipelines/transports.ts';
import type {Wire} from '../pipelines/wire.ts';
import type {Discovery} from '../scenario/scenario.ts';
import {failureText, isMissing} from '../trace/failure.ts';
import type {TraceData} from '../trace/traceData.ts';
import {type EarlyEnd, HttpClient} from './client.ts';
import type {Network} from './network.ts';
import {PaneStreams} from './paneStreams.ts';
import {TraceRecorder} from './recorder.ts';
import {pageResponses} from './response.ts';
import {HttpServer} from './server.ts';

/** What all panes of a run share. */
export interface LoadOptions {
  readonly discovery: Discovery;
  readonly thinkNs: number;
  readonly timeLimitNs: number;
  /** How often a server that could not write tries again, at first: about a packet's serialisation. */
  readonly retryNs: number;
}

/**
 * Loads a page through one pane on a network of its own, from the handshake to the last object, and gives
 * the trace. Everything happens in the network's virtual time, so it depends on the arguments alone.
 */
export function loadPane(network: Network, page: Page, pane: Pane, options: LoadOptions): TraceData {
  return new Load(network, page, pane, options).run();
}

class Load {
  readonly #network: Network;
  readonly #options: LoadOptions;
  readonly #wire: Wire;
  readonly #client: HttpClient;
  /** One at the end of each connection. */
  readonly #servers: readonly HttpServer[];
  /** What each endpoint is. */
  readonly #ends = new Map<number, {readonly connection: number; readonly isClient: boolean}>();
  readonly #streams = new PaneStreams();
  readonly #recorder: TraceRecorder;
  /** What the transport did not take at once; `stream` is of the pane. */
  readonly #unsent: {object: number; stream: number; bytes: Uint8Array}[] = [];
  /** A server has something to write that the transport does not take now. */
  #isRefused = false;
  /** The network's time, which only moves as it advances. */
  #nowNs = 0;
  #retryNs: number;
  /** Why the first client of them to go is gone; likewise the first server. */
  #clientClosed: string | null = null;
  #serverClosed: string | null = null;

  constructor(network: Network, page: Page, pane: Pane, options: LoadOptions) {
    this.#network = network;
    this.#options = options;
    this.#retryNs = options.retryNs;
    const pipeline = pipelineOf(pane.pipeline);
    this.#wire = pipeline.open(network, pane, {bufferBytes: sendBuffer => bufferBytes(sendBuffer, page)});
    const {connections, framing} = this.#wire;
    this.#client = new HttpClient({
      discovery: options.discovery,
      requestBytes: page.requestBytes,
      isTagged: framing.isTagged,
    });
    for (const [connection, {client, server}] of connections.entries()) {
      this.#ends.set(client, {connection, isClient: true});
      this.#ends.set(server, {connection, isClient: false});
    }
    const respond = pageResponses(page);
    this.#servers = connections.map(() => new HttpServer({respond, framing, thinkNs: options.thinkNs}));
    this.#recorder = new TraceRecorder(pane.pipeline, connections, page);
  }

  run(): TraceData {
    for (const {client} of this.#wire.connections) this.#network.connect(client);
    while (!this.#client.isDone && this.#clientClosed === null) {
      this.#sendRequests();
      this.#sendResponses();
      const events = this.#network.advance(this.#nextNs());
      this.#nowNs = this.#network.nowNs;
      for (const event of events) this.#handle(event);
      this.#drainClient();
      if (events.length === 0 && this.#nowNs >= this.#options.timeLimitNs) break;
    }
    return this.#finish();
  }

  #handle(event: TransportEvent): void {
    const end = this.#ends.get(event.endpoint);
    if (end === undefined) return;
    const {connection, isClient} = end;
    if (event.type === 'connected' && isClient) {
      this.#streams.add(connection, event.streams);
      this.#recorder.handleConnected(connection, event.streams, this.#nowNs);
      this.#client.handleConnected(event.streams);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      const reason = event.type === 'closed' ? event.reason : 'peer-closed';
      if (isClient) this.#clientClosed ??= reason;
      else this.#serverClosed ??= reason;
    } else {
      const received = this.#wire.receive(event);
      if (received === undefined) return;
      const {stream, bytes} = received;
      if (!isClient) {
        this.#servers[connection]?.handleBytes(stream, bytes, this.#nowNs);
        return;
      }
      const number = this.#streams.numberOf({connection, stream});
      if (number !== undefined) this.#client.handleBytes(number, bytes);
    }
  }

  #drainClient(): void {
    for (let event = this.#client.pollEvent(); event !== undefined; event = this.#client.pollEvent()) {
      this.#recorder.handleClient(event, this.#nowNs);
    }
  }

  /** A client writes all GETs that it has at once; on TCP that is one write (N07 §4). */
  #sendRequests(): void {
    for (
      let request = this.#client.pollRequest();
      request !== undefined;
      request = this.#client.pollRequest()
    ) {
      this.#unsent.push(request);
    }
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const at = this.#streams.at(next.stream);
      const client = this.#wire.connections[at.connection]?.client ?? 0;
      const taken = this.#wire.send(client, at.stream, next.bytes);
      if (taken === 0) return;
      this.#recorder.handleRequest(next.object, at, taken, this.#nowNs);
      if (taken === next.bytes.length) this.#unsent.shift();
      else next.bytes = next.bytes.subarray(taken);
    }
  }

  #sendResponses(): void {
    this.#isRefused = false;
    if (this.#serverClosed !== null) return;
    for (let connection = 0; connection < this.#servers.length; connection++)
      this.#isRefused = this.#respond(connection) || this.#isRefused;
  }

  /** Gives whether the transport did not take all that the connection's server has. */
  #respond(connection: number): boolean {
    const nowNs = this.#nowNs;
    const server = this.#servers[connection];
    const endpoint = this.#wire.connections[connection]?.server;
    if (server === undefined || endpoint === undefined) return false;
    for (let piece = server.peekPiece(nowNs); piece !== undefined; piece = server.peekPiece(nowNs)) {
      const {url, stream, bytes} = piece;
      const taken = this.#wire.hasRoom(endpoint) ? this.#wire.send(endpoint, stream, bytes) : 0;
      if (taken === 0) return true;
      this.#retryNs = this.#options.retryNs;
      this.#recorder.handleResponse(url, {connection, stream}, taken);
      server.handleWritten(taken, nowNs);
    }
    return false;
  }

  /** When to look again if nothing happens before. A refused write is tried again, ever more rarely. */
  #nextNs(): number {
    const nowNs = this.#nowNs;
    let nextNs = this.#options.timeLimitNs;
    for (const server of this.#servers) nextNs = Math.min(nextNs, server.pollTimeoutNs(nowNs) ?? nextNs);
    if (this.#isRefused || this.#unsent.length > 0) {
      nextNs = Math.min(nextNs, nowNs + this.#retryNs);
      this.#retryNs = Math.min(this.#retryNs * RETRY_GROWTH, LONGEST_RETRY_NS);
    }
    return Math.round(nextNs);
  }

  #finish(): TraceData {
    const end = this.#earlyEnd();
    if (end !== null) this.#client.handleEnd(end);
    this.#drainClient();
    const trace = this.#recorder.finish({outcome: end?.kind ?? 'complete', reason: null}, this.#columns());
    if (end !== null) return {...trace, reason: failureText({...end, bytes: 0, ofBytes: null})};
    const failures = trace.objects.map(({failure}) => failure).filter(failure => failure !== null);
    const failed = failures.filter(failure => !isMissing(failure));
    const [first] = failed;
    if (first === undefined) return trace;
    const reason = `${failed.length} of ${trace.objects.length} objects failed: ${failureText(first)}`;
    return {...trace, outcome: 'partial', reason};
  }

  #earlyEnd(): EarlyEnd | null {
    if (this.#client.isDone) return null;
    if (this.#clientClosed !== null) return {kind: 'aborted', reason: this.#clientClosed};
    if (this.#serverClosed !== null) return {kind: 'aborted', reason: `server ${this.#serverClosed}`};
    return {kind: 'time-limit', limitMs: this.#options.timeLimitNs / 1e6};
  }

  #columns() {
    const network = this.#network;
    return {
      packets: network.packets(),
      chunks: network.chunks(),
      samples: network.samples(),
      blocked: network.blocked(),
    };
  }
}

/** Objects count in the page's largest response, so that each of them fits. */
function bufferBytes(sendBuffer: SendBuffer | null, page: Page): number {
  const responses = page.objects.map(
    object => (object.body?.length ?? 0) + page.headerBytes + SPARE_HEADER_BYTES,
  );
  const [largest, whole] = [
    responses.reduce((most, bytes) => Math.max(most, bytes), 0),
    responses.reduce((sum, bytes) => sum + bytes, 0),
  ];
  if (sendBuffer === null) return clampBuffer(Math.max(whole * 2, USUAL_BUFFER_BYTES));
  return clampBuffer('bytes' in sendBuffer ? sendBuffer.bytes : sendBuffer.objects * largest);
}

/** What the transports take as a send buffer. */
function clampBuffer(bytes: number): number {
  return Math.min(Math.max(bytes, 1024), 2 ** 30);
}

/** For a header that needs more than the page says. */
const SPARE_HEADER_BYTES = 16;
/** The native core's own default. */
const USUAL_BUFFER_BYTES = 4 * 1024 * 1024;
const RETRY_GROWTH = 1.1;
const LONGEST_RETRY_NS = 1e9;
