import type {Exchange, ExchangeOptions, FrameWait, NumberedFrame, OwnTransport} from '../exchange.ts';
import type {Connection, TransportEvent, Transports} from '../transports.ts';
import {DatagramClient} from './client.ts';
import {FRAME_HEADER_BYTES} from './frame.ts';
import type {FrameResponse} from './framed.ts';
import type {Receiver} from './receiver.ts';
import {DatagramServer} from './server.ts';

/** What tells one way to send a page in datagrams from another. */
export interface DatagramOptions extends ExchangeOptions {
  readonly frame: FrameResponse;
  readonly newReceiver: (object: number, url: string) => Receiver;
  /** Of the server: bits of IP packets a second. */
  readonly rateBps: number;
  /** Of a frame with its header; null fills a packet. */
  readonly frameBytes: number | null;
  readonly isAbstractTwice: boolean;
}

/** HTTP in bare datagrams (C03 §4): requests from the client, frames from the server, without a handshake. */
export class DatagramExchange implements Exchange, OwnTransport {
  readonly #network: Transports;
  readonly #options: DatagramOptions;
  readonly #connection: Connection;
  readonly #client: DatagramClient;
  readonly #server: DatagramServer;
  /** By the datagrams that each has sent. */
  readonly #sent: {readonly client: NumberedFrame[]; readonly server: NumberedFrame[]};

  constructor(network: Transports, options: DatagramOptions) {
    this.#network = network;
    this.#options = options;
    this.#connection = network.openUdp();
    this.#sent = {client: [], server: []};
    const limitBytes = network.maxMessageInPacketBytes(this.#connection.server);
    const frameBytes = Math.min(options.frameBytes ?? limitBytes, limitBytes);
    const {respond, thinkNs, frame, rateBps, isAbstractTwice, requestBytes, newReceiver} = options;
    this.#server = new DatagramServer({
      ...{respond, thinkNs, frame, rateBps, isAbstractTwice},
      payloadBytes: frameBytes - FRAME_HEADER_BYTES,
    });
    this.#client = new DatagramClient({
      ...{requestBytes, limitBytes, newReceiver},
      onResponse: (object, event) => options.listener.handleResponse(object, event),
    });
  }

  get connections(): readonly Connection[] {
    return [this.#connection];
  }

  get own(): OwnTransport {
    return this;
  }

  /** Requests can be sent at once. */
  start(): void {
    this.#options.listener.handleConnected(0, 1);
  }

  request(object: number, url: string): void {
    this.#client.request(object, url);
  }

  handle(event: TransportEvent, nowNs: number): void {
    if (event.type !== 'message') return;
    if (event.endpoint === this.#connection.client) this.#client.handleDatagram(event.bytes, nowNs);
    else this.#server.handleDatagram(event.bytes, nowNs);
  }

  write(nowNs: number): boolean {
    const {client, server} = this.#connection;
    for (let next = this.#client.pollDatagram(nowNs); next; next = this.#client.pollDatagram(nowNs)) {
      this.#network.send(client, 0, next.bytes, next.object);
      this.#sent.client.push({number: next.number, stream: 0, isRepeat: next.isRepeat});
    }
    for (let next = this.#server.pollFrame(nowNs); next; next = this.#server.pollFrame(nowNs)) {
      const {object, bytes, ...frame} = next;
      this.#network.send(server, 0, bytes, object);
      this.#sent.server.push(frame);
    }
    return false;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    const times = [this.#client.pollTimeoutNs(), this.#server.pollTimeoutNs(nowNs)];
    const known = times.filter(time => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined {
    const {client, server} = this.#connection;
    if (endpoint === client) return this.#sent.client[datagram];
    return endpoint === server ? this.#sent.server[datagram] : undefined;
  }

  waits(): readonly FrameWait[] {
    return this.#client.waits().map(({request, index, ...wait}) => ({
      ...{endpoint: this.#connection.client, stream: request, ...wait},
      number: this.#server.numberOf(request, index) ?? 0,
    }));
  }
}
