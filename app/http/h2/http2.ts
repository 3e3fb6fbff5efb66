import type {Exchange, ExchangeOptions} from '../exchange.ts';
import {roomBytes} from '../room.ts';
import {RoomTimes} from '../roomTimes.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {Connection, TcpTransports, TransportEvent} from '../transports.ts';
import {H2Client} from './client.ts';
import type {OutgoingFrames} from './peer.ts';
import {H2Server} from './server.ts';

export interface Http2Options extends ExchangeOptions {
  readonly scheduler: SchedulerName;
  readonly scheme: 'http' | 'https';
}

/** HTTP/2 (RFC 9113) over one TCP connection, known to both ends beforehand (§3.3), or by TLS's ALPN. */
export class Http2 implements Exchange {
  readonly #network: TcpTransports;
  readonly #connection: Connection;
  readonly #options: Http2Options;
  readonly #client: H2Client;
  readonly #server: H2Server;
  readonly #ends: {readonly client: End; readonly server: End};

  /** The server has more than its transport sends soon. */
  #isHeldBack = false;
  readonly #roomTimes = new RoomTimes();

  constructor(network: TcpTransports, connection: Connection, options: Http2Options) {
    this.#network = network;
    this.#connection = connection;
    this.#options = options;
    const {scheme, requestBytes, respond, scheduler, thinkNs, listener} = options;
    this.#client = new H2Client({
      ...{scheme, requestBytes, scheduler},
      onResponse: (object, event) => listener.handleResponse(object, event),
    });
    this.#server = new H2Server({respond, thinkNs, scheduler});
    this.#ends = {client: newEnd(connection.client), server: newEnd(connection.server)};
  }

  get connections(): readonly Connection[] {
    return [this.#connection];
  }

  start(): void {
    this.#network.connect(this.#connection.client);
  }

  request(object: number, url: string): void {
    this.#client.request(object, url);
  }

  handle(event: TransportEvent, nowNs: number): void {
    const isClient = event.endpoint === this.#connection.client;
    const end = isClient ? this.#ends.client : this.#ends.server;
    if (event.type === 'connected') {
      if (isClient) this.#handleConnected(event.streams, nowNs);
      else this.#handleServerConnected(nowNs);
    } else if (event.type === 'readable') {
      const bytes = this.#network.read(event.endpoint, event.stream);
      if (isClient) {
        this.#client.handleBytes(bytes);
        this.#roomTimes.handleReadable(nowNs);
      } else this.#server.handleBytes(bytes, nowNs);
    } else if (event.type === 'closed' || event.type === 'peer-closed') {
      end.isGone = true;
      if (isClient) this.#client.handleGone(event.type === 'closed' ? event.reason : 'peer-closed');
    }
  }

  write(nowNs: number): boolean {
    const {client, server} = this.#ends;
    const isRefused = this.#writeAll(client, () => this.#client.pollFrames());
    const areHeadsRefused = this.#writeAll(server, () => this.#server.pollFrames(nowNs));
    return (!areHeadsRefused && this.#writeBodies(server, nowNs)) || areHeadsRefused || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    const next = this.#server.pollTimeoutNs(nowNs);
    if (!this.#isHeldBack) return next;
    return Math.min(next ?? Number.POSITIVE_INFINITY, this.#roomTimes.next());
  }

  #handleServerConnected(nowNs: number): void {
    this.#server.handleConnected();
    this.#roomTimes.handleServerConnected(nowNs);
  }

  #handleConnected(streams: number, nowNs: number): void {
    this.#client.handleConnected();
    this.#roomTimes.handleClientConnected(nowNs);
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
  #writeAll(end: End, poll: () => OutgoingFrames | undefined): boolean {
    if (end.isGone) return false;
    for (;;) {
      end.unsent ??= poll();
      if (end.unsent === undefined) return false;
      const {bytes, object} = end.unsent;
      const taken = this.#network.write(end.endpoint, 0, bytes, object);
      if (taken < bytes.length) {
        end.unsent = {bytes: bytes.subarray(taken), object};
        return true;
      }
      end.unsent = undefined;
    }
  }
}

interface End {
  readonly endpoint: number;
  /** What the transport did not take. */
  unsent: OutgoingFrames | undefined;
  isGone: boolean;
}

function newEnd(endpoint: number): End {
  return {endpoint, unsent: undefined, isGone: false};
}
