import type {Connection, TcpEndOptions, TransportEvent} from '../../../app/http/transports.ts';
import type {Clock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {reasonAt} from '../../net/systemReason.ts';
import {joinBlocked, joinChunks, joinPackets, joinSamples, type OwnTrace} from './joinedTraces.ts';
import {TcpInUdpClient} from './tcpInUdpClient.ts';

export interface OwnTcpOptions {
  readonly host: string;
  /** The live server's first port. TCP in UDP is behind it. */
  readonly port: number;
  readonly clock: Clock;
  readonly onEvents: (events: readonly TransportEvent[]) => void;
}

/** A pane's connections of our TCP in UDP, each on its own socket, with one trace for all. */
export class OwnTcp implements OwnTrace {
  readonly #options: OwnTcpOptions;
  readonly #parts: {
    readonly client: number;
    readonly connection: TcpInUdpClient;
    readonly trace: OwnTrace;
  }[] = [];

  constructor(options: OwnTcpOptions) {
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

  /** Sends what was written. */
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
