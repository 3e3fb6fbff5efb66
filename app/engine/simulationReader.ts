import type {Connection, TransportEvent} from '../http/transports.ts';
import type {Exhausted, RunLimits} from '../run/load/loadNetwork.ts';
import type {CloseReason, NativeSimulation} from './native.ts';

/**
 * Advances the native core's simulation, and reads its events. One call of {@link SimulationReader.advance} returns
 * events of one instant. The next call may return further events of the same instant. The event of a message contains
 * the bytes of the message, which are valid until the next call of `advance`. On a stream without messages, the event
 * `readable` only says that bytes have arrived, and {@link SimulationReader.read} returns them.
 */
export class SimulationReader {
  readonly #simulation: NativeSimulation;
  #memory = takeMemory();
  #numbers = new Float64Array(this.#memory.buffer);
  #nowNs = 0;
  readonly #limits: RunLimits;
  #exhausted: keyof RunLimits | null = null;
  /** Bytes that were received but not read, by the number from {@link streamOf}. */
  readonly #unread = new Map<number, Uint8Array>();

  /** `limits` must be the limits with which the simulation was created. */
  constructor(simulation: NativeSimulation, limits: RunLimits) {
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
    // `advanceInto` overwrites the memory of unread bytes, so they are copied.
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

  /**
   * Returns all bytes that arrived and were not returned yet. The receive window counts bytes as read when they arrive,
   * so a late call does not slow the sender.
   */
  read(endpoint: number, stream: number): Uint8Array {
    const number = streamOf(endpoint, stream);
    const bytes = this.#unread.get(number) ?? NOTHING;
    this.#unread.delete(number);
    return bytes;
  }

  /** Frees the simulation. */
  free(): void {
    this.#simulation.free();
    spare = this.#memory;
  }
}

/**
 * Returns a new connection of a simulation, if a {@link SimulationReader} can distinguish the streams of its endpoints.
 * @throws RangeError if it cannot
 */
export function checkedConnection(connection: Connection): Connection {
  const {client, server} = connection;
  if (Math.max(client, server) < MOST_ENDPOINTS) return connection;
  throw new RangeError(`invalid endpoints: ${client} and ${server} (must be below ${MOST_ENDPOINTS})`);
}

/** With a stream of 32 bits, the number of an endpoint must fit into the 53 bits of an exact number. */
const MOST_ENDPOINTS = 2 ** 21;

/** The memory of the previous load, which the next load reuses. Usually only one load runs at a time. */
let spare: Uint8Array<ArrayBuffer> | undefined;

function takeMemory(): Uint8Array<ArrayBuffer> {
  const memory = spare ?? new Uint8Array(MEMORY_BYTES);
  spare = undefined;
  return memory;
}

/** How many numbers precede the events. They are the time, the number of events and the limit that was reached. */
const HEAD_NUMBERS = 3;
/** The index is the number that the native core returns. */
const LIMIT_NAMES: readonly (keyof RunLimits | null)[] = [null, 'packets', 'steps'];
/** The index is the number that the native core returns. */
const CLOSE_REASONS: readonly CloseReason[] = [
  'finished',
  'local-abort',
  'peer-abort',
  'connect-timeout',
  'data-timeout',
  'protocol-violation',
];
/**
 * Combines endpoint and stream into one number. A stream has at most 32 bits, so the number is exact for endpoints
 * below 2^21. {@link checkedConnection} keeps others out.
 */
function streamOf(endpoint: number, stream: number): number {
  return endpoint * 2 ** 32 + stream;
}

const NOTHING = new Uint8Array(0);
/**
 * The initial size of the memory for events, which has room for a burst of packets. The memory grows if necessary. Its
 * size is a multiple of 8.
 */
const MEMORY_BYTES = 65_536;
