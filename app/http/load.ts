import type {Page} from '../page/page.ts';
import type {Pane, SendBuffer} from '../scenario/pane.ts';
import type {Discovery} from '../scenario/scenario.ts';
import {failureText, isMissing} from '../trace/failure.ts';
import {TraceRecorder} from '../trace/recorder.ts';
import type {TraceData} from '../trace/traceData.ts';
import {type EarlyEnd, HttpClient} from './client.ts';
import type {Network, NetworkEvent} from './network.ts';
import {pageResponses} from './response.ts';
import {HttpServer} from './server.ts';
import {openWire, type Wire} from './wire.ts';

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
  readonly #server: HttpServer;
  readonly #recorder: TraceRecorder;
  /** What the transport did not take at once. */
  readonly #unsent: {object: number; stream: number; bytes: Uint8Array}[] = [];
  /** The server has something to write that the transport does not take now. */
  #isRefused = false;
  /** The network's time, which only moves as it advances. */
  #nowNs = 0;
  #retryNs: number;
  #clientClosed: string | null = null;
  #serverClosed: string | null = null;

  constructor(network: Network, page: Page, pane: Pane, options: LoadOptions) {
    this.#network = network;
    this.#options = options;
    this.#retryNs = options.retryNs;
    const sendBufferBytes = bufferBytes(pane.sendBuffer, page);
    this.#wire = openWire(network, pane, sendBufferBytes);
    const isInterleaving = pane.pipeline === 'sctp' && pane.server === 'interleaving';
    this.#client = new HttpClient({
      discovery: options.discovery,
      requestBytes: page.requestBytes,
      isTagged: isInterleaving,
    });
    this.#server = new HttpServer({
      respond: pageResponses(page),
      mode: isInterleaving ? 'interleaving' : 'sequential',
      thinkNs: options.thinkNs,
      pieceBytes: this.#wire.pieceBytes,
      largestMessageBytes: this.#wire.largestPieceBytes,
    });
    this.#recorder = new TraceRecorder(pane.pipeline, this.#wire, page);
  }

  run(): TraceData {
    this.#network.connect(this.#wire.client);
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

  #handle(event: NetworkEvent): void {
    const isClient = event.endpoint === this.#wire.client;
    if (event.type === 'connected' && isClient) {
      this.#recorder.handleConnected(event.streams, this.#nowNs);
      this.#client.handleConnected(event.streams);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      const reason = event.type === 'closed' ? event.reason : 'peer-closed';
      if (isClient) this.#clientClosed ??= reason;
      else this.#serverClosed ??= reason;
    } else {
      const received = this.#wire.receive(event);
      if (received === undefined) return;
      if (isClient) this.#client.handleBytes(received.stream, received.bytes);
      else this.#server.handleBytes(received.stream, received.bytes, this.#nowNs);
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
      const taken = this.#wire.send(this.#wire.client, next.stream, next.bytes);
      if (taken === 0) return;
      this.#recorder.handleRequest(next.object, next.stream, taken, this.#nowNs);
      if (taken === next.bytes.length) this.#unsent.shift();
      else next.bytes = next.bytes.subarray(taken);
    }
  }

  #sendResponses(): void {
    const nowNs = this.#nowNs;
    this.#isRefused = false;
    if (this.#serverClosed !== null) return;
    for (
      let piece = this.#server.peekPiece(nowNs);
      piece !== undefined;
      piece = this.#server.peekPiece(nowNs)
    ) {
      const taken = this.#wire.hasRoom() ? this.#wire.send(this.#wire.server, piece.stream, piece.bytes) : 0;
      this.#isRefused = taken === 0;
      if (this.#isRefused) return;
      this.#retryNs = this.#options.retryNs;
      this.#recorder.handleResponse(piece.url, piece.stream, taken);
      this.#server.handleWritten(taken, nowNs);
    }
  }

  /** When to look again if nothing happens before. A refused write is tried again, ever more rarely. */
  #nextNs(): number {
    const nowNs = this.#nowNs;
    const times = [this.#options.timeLimitNs, this.#server.pollTimeoutNs(nowNs) ?? Number.POSITIVE_INFINITY];
    if (this.#isRefused || this.#unsent.length > 0) {
      times.push(nowNs + this.#retryNs);
      this.#retryNs = Math.min(this.#retryNs * RETRY_GROWTH, LONGEST_RETRY_NS);
    }
    return Math.round(Math.min(...times));
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
