import type {Exchange, ExchangeOptions} from '../exchange.ts';
import {roomBytes} from '../room.ts';
import {RoomTimes} from '../roomTimes.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {Connection, TransportEvent, Transports} from '../transports.ts';
import {H3Client, type OutgoingBytes} from './client.ts';
import {H3Server} from './server.ts';

export interface Http3Options extends ExchangeOptions {
  readonly scheduler: SchedulerName;
  /** The client remembers the server, and asks before the handshake is done (RFC 9001 §4.6): of that many streams. */
  readonly earlyStreams: number | null;
}

type QuicTransports = Pick<
  Transports,
  'connect' | 'write' | 'read' | 'finish' | 'bufferedBytes' | 'cwndBytes'
>;

/** HTTP/3 (RFC 9114) over one QUIC connection. */
export class Http3 implements Exchange {
  readonly #network: QuicTransports;
  readonly #connection: Connection;
  readonly #options: Http3Options;
  readonly #client: H3Client;
  readonly #server: H3Server;
  readonly #ends: {readonly client: End; readonly server: End};
  #isReady = false;
  /** The server has more than its transport sends soon. */
  #isHeldBack = false;
  readonly #roomTimes = new RoomTimes();

  constructor(network: QuicTransports, connection: Connection, options: Http3Options) {
    this.#network = network;
    this.#connection = connection;
    this.#options = options;
    const {requestBytes, respond, scheduler, thinkNs, listener} = options;
    this.#client = new H3Client({
      ...{requestBytes, scheduler},
      onResponse: (object, event) => listener.handleResponse(object, event),
    });
    this.#server = new H3Server({respond, thinkNs, scheduler});
    this.#ends = {client: newEnd(connection.client), server: newEnd(connection.server)};
  }

  get connections(): readonly Connection[] {
    return [this.#connection];
  }

  start(): void {
    this.#network.connect(this.#connection.client);
    if (this.#options.earlyStreams !== null) this.#handleReady(this.#options.earlyStreams);
  }

  request(object: number, url: string): void {
    this.#client.request(object, url);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const isClient = event.endpoint === this.#connection.client;
    const end = isClient ? this.#ends.client : this.#ends.server;
    if (event.type === 'connected') {
      end.isConnected = true;
      if (isClient) {
        this.#roomTimes.handleClientConnected(nowNs);
        this.#handleReady(event.streams);
      } else this.#roomTimes.handleServerConnected(nowNs);
    } else if (event.type === 'readable') {
      const bytes = this.#network.read(event.endpoint, event.stream);
      if (isClient) this.#client.handleBytes(event.stream, bytes);
      else this.#server.handleBytes(event.stream, bytes, nowNs);
      // a server writes when it can, which may be before its handshake is done
      if (isClient) this.#roomTimes.handleReadable(nowNs);
      else end.isConnected = true;
    } else if (event.type === 'finished') {
      if (isClient) this.#client.handleFinished(event.stream);
      else this.#server.handleFinished(event.stream, nowNs);
    } else if (event.type === 'reset') {
      if (isClient) this.#client.handleReset(event.stream, event.code);
      else this.#server.handleReset(event.stream);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      end.isGone = true;
      if (isClient) this.#client.handleGone(event.type === 'closed' ? event.reason : 'peer-closed');
    }
  }

  write(nowNs: number): boolean {
    const {client, server} = this.#ends;
    const isRefused = this.#isReady && this.#writeAll(client, () => this.#client.poll());
    if (!server.isConnected) return isRefused;
    const areHeadsRefused = this.#writeAll(server, () => this.#server.pollHead(nowNs));
    return (!areHeadsRefused && this.#writeBodies(server, nowNs)) || areHeadsRefused || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    const next = this.#server.pollTimeoutNs(nowNs);
    if (!this.#isHeldBack) return next;
    return Math.min(next ?? Number.POSITIVE_INFINITY, this.#roomTimes.next());
  }

  /** Requests can be written, once. */
  #handleReady(streams: number): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.listener.handleConnected(0, streams);
  }

  /** Gives whether the transport did not take all that the server does not hold back. */
  #writeBodies(server: End, nowNs: number): boolean {
    if (this.#isHeldBack && !this.#roomTimes.pollLook(nowNs)) return false;
    this.#isHeldBack = false;
    if (server.isGone || !this.#server.hasData) return false;
    let room = roomBytes(this.#network, server.endpoint);
    const isRefused = this.#writeAll(server, () => {
      const piece = room > 0 ? this.#server.pollData() : undefined;
      room -= piece?.bytes.length ?? 0;
      return piece;
    });
    this.#isHeldBack = room <= 0 && this.#server.hasData;
    return isRefused;
  }

  /** Gives whether the transport did not take all. */
  #writeAll(end: End, poll: () => OutgoingBytes | undefined): boolean {
    if (end.isGone) return false;
    for (;;) {
      end.unsent ??= poll();
      if (end.unsent === undefined) return false;
      const {stream, bytes, object, isEnd} = end.unsent;
      const taken = this.#network.write(end.endpoint, stream, bytes, object);
      if (taken < bytes.length) {
        end.unsent = {...end.unsent, bytes: bytes.subarray(taken)};
        return true;
      }
      if (isEnd) this.#network.finish(end.endpoint, stream);
      end.unsent = undefined;
    }
  }
}

interface End {
  readonly endpoint: number;
  /** What the transport did not take. */
  unsent: OutgoingBytes | undefined;
  isConnected: boolean;
  isGone: boolean;
}

function newEnd(endpoint: number): End {
  return {endpoint, unsent: undefined, isConnected: false, isGone: false};
}
