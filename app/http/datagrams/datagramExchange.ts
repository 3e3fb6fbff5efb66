import {
  type Exchange,
  type ExchangeOptions,
  earliest,
  type FrameWait,
  type NumberedFrame,
  type OwnTransport,
} from '../exchange.ts';
import type {Connection, TransportEvent, Transports} from '../transports.ts';
import {DatagramClient} from './datagramClient.ts';
import {FRAME_HEADER_BYTES} from './datagramFrame.ts';
import {DatagramServer} from './datagramServer.ts';
import type {FrameResponse} from './framedResponse.ts';
import {MessagePipe} from './messagePipe.ts';
import type {Receiver} from './receiver.ts';
import {WiredStage} from './wiredStage.ts';

/** The options of HTTP in bare datagrams. */
export interface DatagramOptions extends ExchangeOptions {
  readonly frame: FrameResponse;
  readonly newReceiver: (object: number, url: string) => Receiver;
  /**
   * The rate at which the server (or the adapter, see `wiredPath`) sends datagrams, in bits per second of IP packets.
   */
  readonly rateBps: number;
  /**
   * Size in bytes of a frame with its header. If it is null, or larger than what fits in a packet, a frame fills a
   * packet.
   */
  readonly frameBytes: number | null;
  readonly isAbstractTwice: boolean;
  /**
   * Whether the client has the HTML's abstract (the HTTP head and all tags) from an earlier visit. It then requests
   * only the HTML's other frames.
   */
  readonly isAbstractCached: boolean;
  /**
   * Whether the first GET for the HTML is sent over TCP, and the HTML's abstract as well. The HTML's other frames are
   * sent in datagrams.
   */
  readonly isAbstractByTcp: boolean;
  /**
   * The number of the path between an adapter and the server (C03 §5). The adapter is a host that fetches the page from
   * the server over TCP and forwards it in datagrams. The client then exchanges datagrams with the adapter only. If the
   * value is null, there is no adapter.
   */
  readonly wiredPath: number | null;
}

/**
 * HTTP in bare datagrams (C03 §4). The client sends requests, and the server sends frames. With an adapter, the server
 * sends the frames to the adapter over TCP, and the adapter sends them to the client. Datagrams need no handshake. Only
 * the TCP connections have one: the connection for the abstract, and the connection between adapter and server.
 */
export class DatagramExchange implements Exchange, OwnTransport {
  readonly #network: Transports;
  readonly #options: DatagramOptions;
  readonly #connection: Connection;
  readonly #tcp: MessagePipe | undefined;
  #isTcpConnected = false;
  readonly #wired: WiredStage | undefined;
  readonly #client: DatagramClient;
  readonly #payloadBytes: number;
  readonly #server: DatagramServer;
  /** The frames in the datagrams that each side has sent. The index is the datagram's number. */
  readonly #sent: {readonly client: NumberedFrame[]; readonly server: NumberedFrame[]};

  constructor(network: Transports, options: DatagramOptions) {
    this.#network = network;
    this.#options = options;
    this.#connection = network.openUdp();
    this.#tcp = options.isAbstractByTcp ? new MessagePipe(network) : undefined;
    this.#sent = {client: [], server: []};
    const limitBytes = network.maxMessageInPacketBytes(this.#connection.server);
    const frameBytes = Math.min(options.frameBytes ?? limitBytes, limitBytes);
    const {respond, thinkNs, thinksInTurn, frame, rateBps, isAbstractTwice, requestBytes, newReceiver} = options;
    this.#payloadBytes = frameBytes - FRAME_HEADER_BYTES;
    const wired = this.#openWired();
    this.#wired = wired;
    this.#server = new DatagramServer({
      respond,
      thinkNs,
      thinksInTurn,
      frame,
      rateBps,
      isAbstractTwice,
      payloadBytes: this.#payloadBytes,
      ...(wired !== undefined && {fetch: (request, url) => wired.ask(request, url)}),
    });
    this.#client = new DatagramClient({
      requestBytes,
      limitBytes,
      newReceiver,
      onResponse: (object, event) => options.listener.handleResponse(object, event),
    });
  }

  get connections(): readonly Connection[] {
    const others = [this.#tcp, this.#wired].flatMap(other => other?.connection ?? []);
    return [this.#connection, ...others];
  }

  get own(): OwnTransport {
    return this;
  }

  /**
   * Starts the handshake of the TCP connection for the abstract, if there is one. Otherwise immediately reports that
   * requests can be sent.
   */
  start(): void {
    if (this.#tcp === undefined) this.#options.listener.handleConnected(0, 1);
    else this.#tcp.start();
  }

  request(object: number, url: string): void {
    const isHtml = object === 0;
    const {frame, respond, isAbstractCached} = this.#options;
    const known = isHtml && isAbstractCached ? frame(respond(url), this.#payloadBytes) : undefined;
    // If the HTML contains no text between tags, all its frames belong to the abstract. Without other frames to
    // request, the client requests all frames as on a first visit.
    if (known !== undefined && known.abstractFrames < known.frames.length) this.#client.requestRest(object, url, known);
    else this.#client.request(object, url, {isReliable: isHtml && this.#tcp !== undefined});
  }

  handle(event: TransportEvent, nowNs: number): void {
    if (this.#tcp?.has(event.endpoint)) this.#handleTcp(this.#tcp, event, nowNs);
    if (this.#wired?.has(event.endpoint)) this.#handleWired(this.#wired, event, nowNs);
    if (event.type !== 'message') return;
    if (event.endpoint === this.#connection.client) this.#client.handleDatagram(event.bytes, nowNs);
    else this.#server.handleDatagram(event.bytes, nowNs);
  }

  write(nowNs: number): boolean {
    const {client, server} = this.#connection;
    for (let next = this.#client.pollDatagram(nowNs); next; next = this.#client.pollDatagram(nowNs)) {
      if (next.isReliable) {
        this.#tcp?.send('client', next.bytes, next.object);
        continue;
      }
      this.#network.send(client, 0, next.bytes, next.object);
      this.#sent.client.push({number: next.number, stream: 0, isRepeat: next.isRepeat});
    }
    for (let next = this.#server.pollFrame(nowNs); next; next = this.#server.pollFrame(nowNs)) {
      const {object, bytes, ...frame} = next;
      this.#network.send(server, 0, bytes, object);
      this.#sent.server.push(frame);
    }
    for (let next = this.#server.pollReliable(); next; next = this.#server.pollReliable()) {
      this.#tcp?.send('server', next.bytes, next.object);
    }
    return [this.#tcp?.write(), this.#wired?.write(nowNs)].includes(true);
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    const wiredNs = this.#wired?.pollTimeoutNs();
    return earliest(this.#client.pollTimeoutNs(), this.#server.pollTimeoutNs(nowNs), wiredNs);
  }

  #openWired(): WiredStage | undefined {
    const {wiredPath, respond, thinkNs, thinksInTurn, requestBytes, frame} = this.#options;
    if (wiredPath === null) return undefined;
    const shared = {respond, thinkNs, thinksInTurn, requestBytes, frame, payloadBytes: this.#payloadBytes};
    return new WiredStage(this.#network, {...shared, path: wiredPath});
  }

  #handleWired(wired: WiredStage, event: TransportEvent, nowNs: number): void {
    const {listener} = this.#options;
    if (event.type === 'connected') listener.handleConnected(this.connections.length - 1, 1);
    if (event.type === 'closed') listener.handleLost(`adapter ${event.reason}`);
    for (const {request, index} of wired.handle(event, nowNs)) this.#server.handleFetched(request, index);
  }

  #handleTcp(tcp: MessagePipe, event: TransportEvent, nowNs: number): void {
    const {listener} = this.#options;
    const isClient = event.endpoint === tcp.connection.client;
    if (event.type === 'connected' && isClient) {
      this.#isTcpConnected = true;
      for (const connection of [1, 0]) listener.handleConnected(connection, 1);
    }
    if (event.type === 'closed' && isClient) {
      if (this.#isTcpConnected) listener.handleResponse(0, {type: 'gone', reason: event.reason});
      else listener.handleLost(event.reason);
    }
    for (const message of tcp.read(event)) {
      if (isClient) this.#client.handleDatagram(message, nowNs);
      else this.#server.handleReliable(message, nowNs);
    }
  }

  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined {
    const {client, server} = this.#connection;
    if (endpoint === client) return this.#sent.client[datagram];
    return endpoint === server ? this.#sent.server[datagram] : undefined;
  }

  waits(): readonly FrameWait[] {
    return this.#client.waits().map(({request, index, ...wait}) => ({
      endpoint: this.#connection.client,
      stream: request,
      ...wait,
      number: this.#server.numberOf(request, index) ?? 0,
    }));
  }
}
