import {randomInt} from 'node:crypto';
import {isIPv6} from 'node:net';
import type {Connection, TcpEndOptions, TransportEvent} from '../../../app/http/transports.ts';
import {TcpConnection} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {reasonAt} from '../base/socketFailure.ts';
import {tcpPortOf} from '../base/tcpInUdp.ts';
import {encapsulatedMtuBytes, OWN_PORTS} from '../base/udpSocket.ts';
import {joinBlocked, joinChunks, joinPackets, joinSamples, type OwnTrace} from './joinedTraces.ts';
import {UdpClient, type UdpClientOptions} from './udpClient.ts';

export interface TcpInUdpClientOptions extends UdpClientOptions {
  readonly tcp: TcpEndOptions;
}

/**
 * The client's end of one connection of the program's own TCP in UDP. The option `port` is the live server's first
 * port. Call {@link UdpClient.go} after calling any other method.
 */
export class TcpInUdpClient extends UdpClient<TcpConnection> {
  constructor(options: TcpInUdpClientOptions) {
    const {host, tcp, port} = options;
    const mtuBytes = encapsulatedMtuBytes(isIPv6(host) ? 'IPv6' : 'IPv4');
    const ports = {port: randomInt(...OWN_PORTS), peerPort: tcpPortOf(tcp.profile)};
    const own = {role: 'client', seed: randomInt(2 ** 48 - 1), record: {packets: true, samples: true}};
    const connection = new TcpConnection(JSON.stringify({tcp, mtuBytes, ...ports, ...own}));
    super(connection, {...options, port: port + PORT_OFFSETS.tcpInUdp});
  }

  /** Writes bytes. Returns how many were accepted. */
  write(bytes: Uint8Array): number {
    return this.end.write(bytes);
  }

  read(): Uint8Array {
    return this.end.read();
  }
}

export interface TcpInUdpClientsOptions {
  readonly host: string;
  /** The live server's first port. The port of TCP in UDP follows it ({@link PORT_OFFSETS}). */
  readonly port: number;
  readonly clock: Clock;
  readonly onEvents: (events: readonly TransportEvent[]) => void;
}

/**
 * All connections of one pane over the program's own TCP in UDP. Each connection has its own socket. Their traces are
 * joined into one.
 */
export class TcpInUdpClients implements OwnTrace {
  readonly #options: TcpInUdpClientsOptions;
  readonly #parts: {
    readonly client: number;
    readonly connection: TcpInUdpClient;
    readonly trace: OwnTrace;
  }[] = [];

  constructor(options: TcpInUdpClientsOptions) {
    this.#options = options;
  }

  open({client}: Connection, tcp: TcpEndOptions): TcpInUdpClient {
    const {onEvents, ...place} = this.#options;
    const asked = {host: place.host, port: place.port + PORT_OFFSETS.tcpInUdp};
    const connection = new TcpInUdpClient({
      ...place,
      tcp,
      onEvents: events => onEvents(events.map(event => ({...event, endpoint: client + event.endpoint}))),
      onError: error => onEvents([{endpoint: client, type: 'closed', reason: reasonAt(asked, error)}]),
    });
    this.#parts.push({client, connection, trace: connection.end});
    return connection;
  }

  /** Sends the packets that are due on all connections, and reports their events. */
  go(): void {
    for (const {connection} of this.#parts) connection.go();
  }

  packets() {
    return joinPackets(this.#parts);
  }

  chunks() {
    return joinChunks(this.#parts);
  }

  samples() {
    return joinSamples(this.#parts);
  }

  blocked() {
    return joinBlocked(this.#parts);
  }
}
