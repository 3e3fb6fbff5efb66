import type {RemoteInfo, Socket} from 'node:dgram';
import type {Placed, Places} from '../../net/clientPlaces.ts';
import type {Clock} from '../../net/clock.ts';
import {ServerSocket, senderOf, udpSocket} from '../base/udpSocket.ts';
import type {EmulatedPath} from './emulatedPath.ts';
import type {Relayed} from './relayedPacket.ts';

/** The destination of a relay's datagrams, and the path that they pass through. */
export interface RelayOptions {
  readonly relayed: Relayed;
  readonly path: EmulatedPath;
  /** The server's IP address and port. */
  readonly to: {readonly host: string; readonly port: number};
  readonly clock: Clock;
  /** The clients of all relays together. If there are too many, a new client is refused or replaces another. */
  readonly clients: Places<Placed>;
  /**
   * Called for each datagram that cannot be relayed, because there is no room for its client, because the client's
   * socket is not connected, or because the system refuses to send it. Also called for each error of a client's socket,
   * for example if nobody listens at the server's port.
   */
  readonly onRefused: () => void;
  readonly onClient?: ((client: string) => void) | undefined;
}

/**
 * Relays datagrams between one UDP port and a port of the server, like a NAT. Each client has its own socket towards
 * the server. Datagrams that this socket receives are sent to the client. Datagrams pass through the emulated path in
 * both directions.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #socket: ServerSocket;
  readonly #clients = new Map<string, RelayedClient>();

  constructor(options: RelayOptions, host: string) {
    this.#options = options;
    this.#socket = new ServerSocket({
      host,
      receiveBytes: RECEIVE_BYTES,
      onRefused: options.onRefused,
      onPacket: (datagram, from) => this.#take(datagram, from),
    });
  }

  /** @throws what `node:dgram` throws if it cannot listen */
  listen(port: number): Promise<number> {
    return this.#socket.listen(port);
  }

  /** Ends clients that have been silent for too long. */
  sweep(): void {
    const {clock} = this.#options;
    for (const client of this.#clients.values()) if (clock() - client.sinceNs > IDLE_NS) client.end();
  }

  /** Gives each client a new address, as seen by the server: {@link RelayedClient.handOver}. */
  handOver(): void {
    for (const client of this.#clients.values()) client.handOver();
  }

  async close(): Promise<void> {
    for (const client of [...this.#clients.values()]) client.end();
    await this.#socket.close();
  }

  #take(datagram: Buffer, from: RemoteInfo): void {
    const key = senderOf(from);
    const client = this.#clients.get(key) ?? this.#begin(key, from);
    if (client === undefined) return;
    this.#options.clients.touch(client);
    client.goUp(datagram);
  }

  #begin(key: string, from: RemoteInfo): RelayedClient | undefined {
    const {clients, onRefused, onClient} = this.#options;
    if (!clients.makeRoom(from.address)) {
      onRefused();
      return undefined;
    }
    const back = (datagram: Buffer): void => this.#socket.send([datagram], from);
    const onEnd = (): void => {
      this.#clients.delete(key);
      clients.delete(client);
    };
    const client = new RelayedClient(this.#options, back, onEnd);
    clients.add(client, from.address);
    this.#clients.set(key, client);
    onClient?.(from.family === 'IPv6' ? `[${from.address}]:${from.port}` : `${from.address}:${from.port}`);
    return client;
  }
}

/** A socket towards the server. */
interface Outlet {
  readonly socket: Socket;
  /** Whether the socket is connected. Datagrams can be sent only then. */
  isOpen: boolean;
}

/** A client and its socket towards the server. */
class RelayedClient implements Placed {
  readonly #options: RelayOptions;
  readonly #back: (datagram: Buffer) => void;
  readonly #onEnd: () => void;
  readonly #flow = flows++;
  #outlet: Outlet;
  /** The socket before the last hand-over. */
  #former: Outlet | undefined;
  #isEnded = false;
  /** The time at which a datagram last entered the path, in either direction. */
  sinceNs: number;

  constructor(options: RelayOptions, back: (datagram: Buffer) => void, onEnd: () => void) {
    this.#options = options;
    this.#back = back;
    this.#onEnd = onEnd;
    this.sinceNs = options.clock();
    this.#outlet = this.#opened();
  }

  goUp(datagram: Buffer): void {
    const {onRefused} = this.#options;
    // The socket is chosen when the datagram enters the path. So a hand-over does not change the address of datagrams
    // that are on the path already.
    const outlet = this.#outlet;
    this.#go('up', datagram, () => {
      if (outlet.isOpen) outlet.socket.send(datagram, error => error && onRefused());
      else onRefused();
    });
  }

  /**
   * Replaces the socket towards the server, so that the server sees another port, as it does when a NAT loses its
   * mapping. Datagrams to the old port are lost. The old socket stays open until the next hand-over, because otherwise
   * this machine would tell the server that nobody listens there.
   */
  handOver(): void {
    if (this.#isEnded) return;
    close(this.#former);
    this.#former = this.#outlet;
    this.#outlet = this.#opened();
  }

  get isIdle(): boolean {
    return this.#options.clock() - this.sinceNs > SILENT_NS;
  }

  giveUp(): void {
    this.end();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    close(this.#outlet);
    close(this.#former);
    this.#onEnd();
  }

  #opened(): Outlet {
    const {to, onRefused} = this.#options;
    const outlet: Outlet = {socket: udpSocket(to.host, RECEIVE_BYTES), isOpen: false};
    outlet.socket.on('message', datagram => this.#take(outlet, datagram));
    outlet.socket.on('error', () => {
      onRefused();
      // The socket could not be connected, because the system has no more sockets or forbids this address.
      if (!outlet.isOpen) this.end();
    });
    outlet.socket.once('connect', () => {
      outlet.isOpen = true;
    });
    // A connected socket receives datagrams from the server only. `connect` gets no callback. If it had one, an error
    // would go to the callback, and not to the event 'error'.
    outlet.socket.connect(to.port, to.host);
    return outlet;
  }

  #take(outlet: Outlet, datagram: Buffer): void {
    if (outlet === this.#outlet) this.#go('down', datagram, this.#back);
    else this.#options.path.loseStray('down');
  }

  #go(direction: 'down' | 'up', datagram: Buffer, deliver: (datagram: Buffer) => void): void {
    const {relayed, path, clock} = this.#options;
    this.sinceNs = clock();
    const bytes = relayed.headerBytes + datagram.length;
    const hasData = relayed.hasData(datagram);
    // UDP sockets of Node neither read nor set the ECN field, so queues cannot mark these packets.
    path.enter({
      direction,
      bytes,
      hasData,
      flow: this.#flow,
      ecn: 0,
      deliver: () => this.#isEnded || deliver(datagram),
    });
  }
}

function close(outlet: Outlet | undefined): void {
  if (outlet === undefined) return;
  outlet.isOpen = false;
  outlet.socket.removeAllListeners('message');
  outlet.socket.close();
}

/** The number of the next flow. All datagrams between one client and one port of the path are a flow. */
let flows = 0;

/**
 * A client for which nothing was relayed for this long is ended. A NAT keeps a mapping for at least two minutes (RFC
 * 4787 §4.3).
 */
const IDLE_NS = 120e9;
/**
 * A client for which nothing was relayed for this long counts as idle, so a new client can replace it. An active client
 * is rarely silent for so long, even if it waits to retransmit.
 */
const SILENT_NS = 10e9;
/**
 * Size of the receive buffer to request from the system for each socket. The buffer must hold the datagrams that arrive
 * while this process is busy.
 */
const RECEIVE_BYTES = 1024 * 1024;
