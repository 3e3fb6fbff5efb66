import type {
  Connection,
  QuicEndOptions,
  SctpEndOptions,
  TcpEndOptions,
  TransportEvent,
} from '../../../app/http/transports.ts';
import type {LiveNetwork} from '../../../app/run/load/loadNetwork.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../../app/run/trace/columns.ts';
import type {Clock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {placeText, reasonAt} from '../base/socketFailure.ts';
import {NO_BLOCKED, NO_CHUNKS, NO_PACKETS, type OwnTrace} from './joinedTraces.ts';
import {KernelSamples} from './kernelSamples.ts';
import {QuicClient} from './quicClient.ts';
import {SctpClient} from './sctpClient.ts';
import {TcpClient} from './tcpClient.ts';
import {type TcpInUdpClient, TcpInUdpClients} from './tcpInUdpClient.ts';

/** The live server's address, and settings of the connections to it. */
export interface LiveNetworkOptions {
  /** The server's IP address. */
  readonly host: string;
  /** The server's first port, of TCP and of UDP. The ports of other services follow it ({@link PORT_OFFSETS}). */
  readonly port: number;
  readonly clock: Clock;
  /** Which TCP to use. `udp` is the TCP of simulations, carried in UDP. Undefined is the kernel's TCP. */
  readonly tcp?: 'udp' | undefined;
  /** The SHA-256 fingerprint of the QUIC server's certificate. QUIC requires it. */
  readonly fingerprint?: string | undefined;
  /** If the server sends nothing for this time, all connections end. {@link SILENCE_MS} by default. */
  readonly silenceMs?: number;
}

/**
 * One pane's connections to a live server: any number of TCP connections, or one SCTP association, or one QUIC
 * connection. All of them record traces, except that the packets of the kernel's TCP cannot be recorded. Call {@link
 * RealNetwork.close} after the load.
 */
export class RealNetwork implements LiveNetwork {
  readonly #options: LiveNetworkOptions;
  readonly #connections = new Map<number, TcpClient | TcpInUdpClient>();
  readonly #ownTcp: TcpInUdpClients | undefined;
  readonly #kernelSamples: KernelSamples;
  #association: SctpClient | undefined;
  #quic: QuicClient | undefined;
  #ends = 0;
  #events: TransportEvent[] = [];
  #wake = (): void => undefined;
  #nowNs = 0;
  /** The reason why all connections must end. Undefined if they need not end. */
  #over: string | undefined;
  /**
   * The time of the latest event of any connection, such as bytes from the server. Before the first event, this is the
   * time at which the first connection was started, or Infinity if none was started.
   */
  #heardNs = Number.POSITIVE_INFINITY;

  constructor(options: LiveNetworkOptions) {
    this.#options = options;
    this.#kernelSamples = new KernelSamples(options.clock);
    const {tcp, ...place} = options;
    if (tcp === 'udp') this.#ownTcp = new TcpInUdpClients({...place, onEvents: events => this.#report(events)});
  }

  get nowNs(): number {
    return this.#nowNs;
  }

  async advance(untilNs: number): Promise<readonly TransportEvent[]> {
    this.#association?.go();
    this.#quic?.go();
    this.#ownTcp?.go();
    const {clock, silenceMs = SILENCE_MS} = this.#options;
    if (this.#over !== undefined) return this.#endAll(this.#over);
    const silentNs = this.#heardNs + silenceMs * 1e6;
    if (this.#events.length === 0) {
      const waitMs = Math.min(Math.max(0, (Math.min(untilNs, silentNs) - clock()) / 1e6), LONGEST_WAIT_MS);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
        timer = setTimeout(resolve, waitMs);
      });
      clearTimeout(timer);
    }
    if (this.#events.length === 0) {
      this.#nowNs = clock();
      if (this.#nowNs >= silentNs) this.#over ??= `${placeText(this.#options)} was silent for ${silenceMs / 1000} s`;
    }
    return this.#events.splice(0);
  }

  openTcp({client: tcp}: {client: TcpEndOptions}): Connection {
    const {host, port} = this.#options;
    const ends = this.#newEnds();
    if (this.#ownTcp !== undefined) {
      this.#connections.set(ends.client, this.#ownTcp.open(ends, tcp));
      return ends;
    }
    const onEvent = (event: TransportEvent): void => this.#report([event]);
    const client = {endpoint: ends.client, host, port, onEvent, samples: this.#kernelSamples};
    this.#connections.set(ends.client, new TcpClient(client));
    return ends;
  }

  openSctp({client}: {client: SctpEndOptions}): Connection {
    if (this.#ends > 0) throw new RangeError('a live load has one association');
    const onEvents = (events: readonly TransportEvent[]): void => this.#report(events);
    this.#association = new SctpClient({
      ...this.#options,
      sctp: client,
      record: {packets: true, samples: true},
      onEvents,
      onError: error => this.#report([{endpoint: 0, type: 'closed', reason: reasonAt(this.#options, error)}]),
    });
    return this.#newEnds();
  }

  /** Ends every connection, including connections that are opened later. */
  interrupt(): void {
    this.#over = 'interrupted';
    this.#wake();
  }

  connect(endpoint: number): void {
    if (this.#over !== undefined) return;
    if (this.#heardNs === Number.POSITIVE_INFINITY) this.#heardNs = this.#options.clock();
    this.#connections.get(endpoint)?.connect();
    if (endpoint === 0) (this.#association ?? this.#quic)?.connect();
  }

  write(endpoint: number, _stream: number, bytes: Uint8Array): number {
    return this.#connections.get(endpoint)?.write(bytes) ?? 0;
  }

  read(endpoint: number, stream: number): Uint8Array {
    return this.#quic?.end.read(stream) ?? this.#connections.get(endpoint)?.read() ?? NOTHING;
  }

  send(_endpoint: number, stream: number, bytes: Uint8Array): boolean {
    return this.#association?.association.send(stream, bytes) ?? false;
  }

  renew(_endpoint: number, stream: number): void {
    this.#association?.association.renew(stream);
  }

  maxMessageInPacketBytes(): number {
    return this.#association?.association.maxMessageInPacketBytes() ?? 0;
  }

  addPath(): never {
    throw new RangeError('a live load has one path');
  }

  openUdp(): never {
    throw new RangeError('a live server has no bare datagrams, only TCP, SCTP and QUIC');
  }

  openQuic({client}: {client: QuicEndOptions}): Connection {
    const {host, fingerprint} = this.#options;
    const port = this.#options.port + PORT_OFFSETS.quic;
    if (this.#ends > 0) throw new RangeError('a live load has one connection of QUIC');
    if (fingerprint === undefined) throw new RangeError('a live load by QUIC needs a fingerprint');
    const onEvents = (events: readonly TransportEvent[]): void => this.#report(events);
    this.#quic = new QuicClient({
      ...this.#options,
      port,
      fingerprint,
      quic: client,
      onEvents,
      onError: error => this.#report([{endpoint: 0, type: 'closed', reason: reasonAt({host, port}, error)}]),
    });
    return this.#newEnds();
  }

  writeParts(_endpoint: number, parts: Uint32Array, bytes: Uint8Array): number {
    return this.#quic?.end.writeParts(parts, bytes) ?? 0;
  }

  packets(): PacketColumns {
    return this.#own?.packets() ?? NO_PACKETS;
  }

  chunks(): ChunkColumns {
    return this.#own?.chunks() ?? NO_CHUNKS;
  }

  samples(): SampleColumns {
    return this.#own?.samples() ?? this.#kernelSamples.columns();
  }

  blocked(): BlockedColumns {
    return this.#own?.blocked() ?? NO_BLOCKED;
  }

  /**
   * Closes all sockets. A pending call of {@link RealNetwork.advance} returns, and the next call reports all
   * connections as closed.
   */
  close(): void {
    this.interrupt();
    for (const connection of this.#connections.values()) connection.close();
    this.#association?.close();
    this.#quic?.close();
  }

  #endAll(reason: string): TransportEvent[] {
    this.#nowNs = this.#options.clock();
    const connections = Array.from({length: this.#ends / 2}, (_, connection) => 2 * connection);
    return connections.map(endpoint => ({endpoint, type: 'closed', reason}));
  }

  /** The transport that records its own trace. Undefined if the pane uses the kernel's TCP. */
  get #own(): OwnTrace | undefined {
    return this.#association?.association ?? this.#quic?.end ?? this.#ownTcp;
  }

  #newEnds(): Connection {
    const client = this.#ends;
    this.#ends += 2;
    return {client, server: client + 1};
  }

  #report(events: readonly TransportEvent[]): void {
    this.#nowNs = this.#options.clock();
    this.#heardNs = this.#nowNs;
    this.#events.push(...events);
    this.#wake();
  }
}

/**
 * Longest time, in ms, in which the server may send nothing. The limit is needed because a client that only waits for
 * bytes sends nothing, so its transport never notices that the server has disappeared. This applies to TCP, to SCTP
 * without heartbeats and to QUIC without an idle timeout. A server waits as long for a client that reads nothing
 * (`SERVER_LIMITS.answerMs`).
 */
const SILENCE_MS = 120_000;
const NOTHING = new Uint8Array(0);
/**
 * Longest time that a timer is set for, in ms. It is below Node's limit. A longer wait needs several calls of
 * `advance`.
 */
const LONGEST_WAIT_MS = 2 ** 30;
