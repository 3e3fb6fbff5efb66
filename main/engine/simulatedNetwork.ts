import type {
  Connection,
  QuicEndOptions,
  SctpEndOptions,
  StagePath,
  TcpEndOptions,
  TransportEvent,
} from '../../app/http/transports.ts';
import type {Exhausted, Network, RunLimits} from '../../app/run/load/loadNetwork.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../app/run/trace/columns.ts';
import type {CloseReason, LinkParams, Simulation} from '../../native/addon/index.js';

/**
 * The addon's simulation as page loads use it. Everything that happens at one instant comes in a single call, together
 * with the bytes it brings. A message's bytes stay valid until the next {@link SimulatedNetwork.advance}.
 */
export class SimulatedNetwork implements Network {
  readonly #simulation: Simulation;
  #memory = takeMemory();
  #numbers = new Float64Array(this.#memory.buffer);
  #nowNs = 0;
  readonly #limits: RunLimits;
  #exhausted: keyof RunLimits | null = null;
  /** Bytes that came on a stream of an endpoint and were not read. */
  readonly #unread = new Map<number, Uint8Array>();

  /** `limits` are those that the simulation was opened with. */
  constructor(simulation: Simulation, limits: RunLimits) {
    this.#simulation = simulation;
    this.#limits = limits;
  }

  get nowNs(): number {
    return this.#nowNs;
  }

  get exhausted(): Exhausted | null {
    const what = this.#exhausted;
    return what === null ? null : {what, limit: this.#limits[what]};
  }

  advance(untilNs: number): readonly TransportEvent[] {
    // the memory that they lie in is overwritten below
    if (this.#unread.size > 0) this.#keepUnread();
    for (;;) {
      const size = this.#simulation.advanceInto(untilNs, this.#memory);
      if (size <= this.#memory.length) break;
      this.#memory = new Uint8Array(8 * Math.ceil(size / 4));
      this.#numbers = new Float64Array(this.#memory.buffer);
    }
    const [nowNs = 0, count = 0, limit = 0] = this.#numbers;
    this.#nowNs = nowNs;
    this.#exhausted = LIMIT_NAMES[limit] ?? null;
    const events: TransportEvent[] = [];
    for (let row = 0; row < count; row++) events.push(this.#eventAt(HEAD_NUMBERS + 5 * row));
    return events;
  }

  #eventAt(at: number): TransportEvent {
    const numbers = this.#numbers;
    const endpoint = numbers[at + 1] ?? 0;
    const detail = numbers[at + 2] ?? 0;
    switch (numbers[at]) {
      case 0:
        return {endpoint, type: 'connected', streams: detail};
      case 1:
        this.#keep(streamOf(endpoint, detail), this.#bytesAt(at));
        return {endpoint, type: 'readable', stream: detail};
      case 2:
        return {endpoint, type: 'message', stream: detail, bytes: this.#bytesAt(at)};
      case 3:
        return {endpoint, type: 'writable'};
      case 4:
        return {endpoint, type: 'peer-closed'};
      case 6:
        return {endpoint, type: 'finished', stream: detail};
      case 7:
        return {endpoint, type: 'reset', stream: detail, code: numbers[at + 3] ?? 0};
      case 9:
        return {endpoint, type: 'room', bytes: detail};
      case 8:
        return {endpoint, type: 'renewed', stream: detail};
      default:
        return {endpoint, type: 'closed', reason: CLOSE_REASONS[detail] ?? 'finished'};
    }
  }

  #bytesAt(at: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.#numbers[at + 3], this.#numbers[at + 4]);
  }

  #keepUnread(): void {
    for (const [stream, bytes] of this.#unread) this.#unread.set(stream, bytes.slice());
  }

  #keep(stream: number, bytes: Uint8Array): void {
    const before = this.#unread.get(stream);
    if (before === undefined) {
      this.#unread.set(stream, bytes);
      return;
    }
    const both = new Uint8Array(before.length + bytes.length);
    both.set(before);
    both.set(bytes, before.length);
    this.#unread.set(stream, both);
  }

  /** All bytes that came and were not read. The transport counts bytes as read when they come. */
  read(endpoint: number, stream: number): Uint8Array {
    const number = streamOf(endpoint, stream);
    const bytes = this.#unread.get(number) ?? NOTHING;
    this.#unread.delete(number);
    return bytes;
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

  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions; path?: number; port?: number}): Connection {
    return this.#simulation.openTcp(JSON.stringify(options));
  }

  openSctp(options: {client: SctpEndOptions; server: SctpEndOptions}): Connection {
    return this.#simulation.openSctp(JSON.stringify(options));
  }

  openUdp(): Connection {
    return this.#simulation.openUdp();
  }

  openQuic(options: {client: QuicEndOptions; server: QuicEndOptions}): Connection {
    return this.#simulation.openQuic(JSON.stringify(options));
  }

  free(): void {
    this.#simulation.free();
    spare = this.#memory;
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
    return this.#simulation.packets();
  }

  chunks(): ChunkColumns {
    return this.#simulation.chunks();
  }

  samples(): SampleColumns {
    return this.#simulation.samples();
  }

  blocked(): BlockedColumns {
    return this.#simulation.blocked();
  }
}

/** Memory that the last load wrote to. Loads follow one another, so the next one uses it again. */
let spare: Uint8Array<ArrayBuffer> | undefined;

function takeMemory(): Uint8Array<ArrayBuffer> {
  const memory = spare ?? new Uint8Array(MEMORY_BYTES);
  spare = undefined;
  return memory;
}

/** Numbers in front of the events: the time, the number of events, the limit that was reached. */
const HEAD_NUMBERS = 3;
/** In the order of the addon's contract. */
const LIMIT_NAMES: readonly (keyof RunLimits | null)[] = [null, 'packets', 'steps'];
/** In the order of the addon's contract. */
const CLOSE_REASONS: readonly CloseReason[] = [
  'finished',
  'local-abort',
  'peer-abort',
  'connect-timeout',
  'data-timeout',
  'protocol-violation',
];
/** Endpoint and stream as one number. Each has at most 32 bits. */
function streamOf(endpoint: number, stream: number): number {
  return endpoint * 2 ** 32 + stream;
}

const NOTHING = new Uint8Array(0);
/** As in a scenario's default path. */
const STAGE_QUEUE_PACKETS = 1000;
/** MTU of Ethernet (RFC 894). */
const ETHERNET_MTU_BYTES = 1500;
/** Room for a burst of packets; larger batches make it grow. A multiple of 8. */
const MEMORY_BYTES = 65_536;
