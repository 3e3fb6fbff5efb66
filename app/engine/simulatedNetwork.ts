import type {Connection, OpenQuic, OpenSctp, OpenTcp, StagePath, TransportEvent} from '../http/transports.ts';
import type {Assumption} from '../run/load/assumption.ts';
import type {Exhausted, Network, RunLimits} from '../run/load/loadNetwork.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../run/trace/columns.ts';
import type {TrafficTrace} from '../run/trace/traceData.ts';
import type {LinkParams, NativeSimulation} from './native.ts';
import {checkedConnection, SimulationReader} from './simulationReader.ts';

/** The part of a simulation that one page load uses. */
export interface NetworkPart {
  /** Shared by all page loads of a simulation. */
  readonly reader: SimulationReader;
  /** The number of the page load in the simulation. */
  readonly page: number;
  /** Returns the other traffic on the path of this page load. */
  readonly traffic: () => TrafficTrace | undefined;
  /**
   * An assumption that removes one cause of the load's time: handshakes take no time, or windows are unlimited. It
   * shows how much time this cause costs. Undefined for an ordinary load.
   */
  readonly assumption: Assumption | undefined;
}

/** Adapts the native core's simulation to the interface that page loads use. */
export class SimulatedNetwork implements Network {
  readonly #simulation: NativeSimulation;
  readonly #reader: SimulationReader;
  readonly #page: number;
  readonly #assumption: Assumption | undefined;
  readonly traffic: () => TrafficTrace | undefined;

  /** `limits` must be the limits with which the simulation was created. */
  constructor(simulation: NativeSimulation, limits: RunLimits, part: Partial<NetworkPart> = {}) {
    this.#simulation = simulation;
    this.#reader = part.reader ?? new SimulationReader(simulation, limits);
    this.#page = part.page ?? 0;
    this.#assumption = part.assumption;
    this.traffic = part.traffic ?? (() => undefined);
  }

  get nowNs(): number {
    return this.#reader.nowNs;
  }

  get exhausted(): Exhausted | null {
    return this.#reader.exhausted;
  }

  advance(untilNs: number): readonly TransportEvent[] {
    return this.#reader.advance(untilNs);
  }

  /**
   * Returns all bytes that arrived and were not returned yet. The receive window counts bytes as read when they arrive,
   * so a late call does not slow the sender.
   */
  read(endpoint: number, stream: number): Uint8Array {
    return this.#reader.read(endpoint, stream);
  }

  canChangeAddress(endpoint: number): boolean {
    return this.#simulation.canChangeAddress(endpoint);
  }

  addPath({rateBps, rttMs, loss}: StagePath): number {
    const link: LinkParams = {
      rateBps,
      delayNs: Math.round((rttMs * 1e6) / 2),
      queuePackets: STAGE_QUEUE_PACKETS,
      loss: {model: 'bernoulli', rate: loss},
    };
    return this.#simulation.addPath(JSON.stringify({down: link, up: link, mtuBytes: ETHERNET_MTU_BYTES}));
  }

  openTcp(options: OpenTcp): Connection {
    return checkedConnection(this.#simulation.openTcp(this.#own(this.#assumed(options))));
  }

  openSctp(options: OpenSctp): Connection {
    return checkedConnection(this.#simulation.openSctp(this.#own(this.#assumed(options))));
  }

  openUdp(): Connection {
    return checkedConnection(this.#simulation.openUdp(this.#page));
  }

  openQuic(options: OpenQuic): Connection {
    return checkedConnection(this.#simulation.openQuic(this.#own(options)));
  }

  /** Returns the options of a connection, changed so that the assumption holds. */
  #assumed<O extends OpenTcp | OpenSctp>(options: O): O {
    switch (this.#assumption) {
      case undefined:
        return options;
      case 'free-set-up':
        return {...options, freeSetUp: true};
      case 'unlimited-window':
        return {
          ...options,
          client: {...options.client, unlimitedWindow: true},
          server: {...options.server, unlimitedWindow: true},
        };
    }
  }

  /** Returns options as JSON, with the number of the page load unless it is 0, which is the default. */
  #own(options: object): string {
    return JSON.stringify(this.#page === 0 ? options : {...options, page: this.#page});
  }

  free(): void {
    this.#reader.free();
  }

  abort(endpoint: number): void {
    this.#simulation.abort(endpoint);
  }

  connect(endpoint: number): void {
    this.#simulation.connect(endpoint);
  }

  write(endpoint: number, stream: number, bytes: Uint8Array): number {
    return this.#simulation.write(endpoint, stream, bytes);
  }

  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number {
    return this.#simulation.writeParts(endpoint, parts, bytes);
  }

  send(endpoint: number, stream: number, bytes: Uint8Array): boolean {
    return this.#simulation.send(endpoint, stream, bytes);
  }

  renew(endpoint: number, stream: number): void {
    this.#simulation.renew(endpoint, stream);
  }

  finish(endpoint: number, stream: number): void {
    this.#simulation.finish(endpoint, stream);
  }

  reset(endpoint: number, stream: number, code: number): void {
    this.#simulation.reset(endpoint, stream, code);
  }

  setPriority(endpoint: number, stream: number, priority: number): void {
    this.#simulation.setPriority(endpoint, stream, priority);
  }

  maxMessageInPacketBytes(endpoint: number): number {
    return this.#simulation.maxMessageInPacketBytes(endpoint);
  }

  packets(): PacketColumns {
    return this.#simulation.packets(this.#page);
  }

  chunks(): ChunkColumns {
    return this.#simulation.chunks(this.#page);
  }

  samples(): SampleColumns {
    return this.#simulation.samples(this.#page);
  }

  blocked(): BlockedColumns {
    return this.#simulation.blocked(this.#page);
  }
}

/** Limit of the queue of a path that `addPath` adds, in packets. A scenario's default path has the same limit. */
const STAGE_QUEUE_PACKETS = 1000;
/** MTU of Ethernet (RFC 894). */
const ETHERNET_MTU_BYTES = 1500;
