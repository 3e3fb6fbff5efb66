import {pathParams} from '../../../app/engine/openSimulation.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import type {PathCounts} from '../../../app/run/scenario/runningPath.ts';
import {type Direction, Emulator} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** A packet that enters the path. */
export interface EnteringPacket {
  readonly direction: Direction;
  /** The size of the transport's IP packet, headers included. A simulation counts the same size. */
  readonly bytes: number;
  /** Whether the packet contains data. Some kinds of loss affect only such packets. */
  readonly hasData: boolean;
  /** The number of the packet's flow, for queues that keep flows apart. */
  readonly flow: number;
  /** The ECN codepoint in the packet's IP header, 0 to 3. */
  readonly ecn: number;
  /**
   * Called when the packet leaves the path, for each copy that leaves it. Not called if the packet is lost. `isMarked`
   * says whether the packet must get the ECN codepoint CE.
   */
  readonly deliver: (isMarked: boolean) => void;
}

/** The emulated path in real time. It delivers no packet after {@link EmulatedPath.close}. */
export class EmulatedPath {
  readonly #emulator: Emulator;
  readonly #clock: Clock;
  readonly #held = new Map<number, EnteringPacket['deliver']>();
  #settings: PathSettings;
  #seed: number;
  #entered = 0;
  #lastNs = Number.NEGATIVE_INFINITY;
  #dueNs = Number.POSITIVE_INFINITY;
  #stop = (): void => undefined;

  constructor(settings: PathSettings, seed: number, clock: Clock) {
    this.#emulator = new Emulator(JSON.stringify({seed, path: pathParams(settings, seed)}));
    this.#settings = settings;
    this.#seed = seed;
    this.#clock = clock;
  }

  get settings(): PathSettings {
    return this.#settings;
  }

  get seed(): number {
    return this.#seed;
  }

  get counts(): {readonly down: PathCounts; readonly up: PathCounts} {
    return this.#emulator.counts();
  }

  /** Time since the latest packet entered. Infinity if none has entered. */
  get silentNs(): number {
    return this.#clock() - this.#lastNs;
  }

  enter({direction, bytes, hasData, flow, ecn, deliver}: EnteringPacket): void {
    const number = this.#entered++;
    this.#lastNs = this.#clock();
    if (!this.#emulator.handlePacket(direction, bytes, hasData, number, this.#lastNs, flow, ecn)) return;
    this.#held.set(number, deliver);
    this.#schedule();
  }

  /**
   * Changes the settings. The new settings apply to packets whose transmission has not started. The MTU does not
   * change.
   */
  change(settings: PathSettings): void {
    const {down, up} = pathParams(settings, this.#seed);
    this.#emulator.setLink('down', down, this.#clock());
    this.#emulator.setLink('up', up, this.#clock());
    this.#settings = settings;
    this.#schedule();
  }

  /**
   * Restarts the random draws of losses with `seed`. A load that starts after this call has the same losses as a run
   * with this seed.
   */
  restartLoss(seed: number): void {
    this.#emulator.restartLoss(seed);
    this.#seed = seed;
  }

  close(): void {
    this.#stop();
    this.#stop = () => undefined;
    this.#held.clear();
  }

  readonly #deliver = (): void => {
    this.#dueNs = Number.POSITIVE_INFINITY;
    const arrived = this.#emulator.pollTransmit(this.#clock());
    for (let i = 0; i < arrived.length; i += 3) {
      const [number = 0, atNs, flags = 0] = arrived.subarray(i, i + 3);
      const deliver = this.#held.get(number);
      if ((flags & MORE_FOLLOW) === 0) this.#held.delete(number);
      if (atNs !== Number.POSITIVE_INFINITY) deliver?.((flags & MARKED) !== 0);
    }
    this.#schedule();
  };

  #schedule(): void {
    const dueNs = this.#emulator.nextTimeoutNs;
    if (dueNs === this.#dueNs) return;
    this.#stop();
    this.#dueNs = dueNs;
    this.#stop = dueNs === Number.POSITIVE_INFINITY ? () => undefined : at(dueNs, this.#clock, this.#deliver);
  }
}

/**
 * Calls `then` at the time `dueNs`. Returns a function that cancels the call. Node's timers are late by 0.8 ms in the
 * median, so this function waits the last millisecond by `setImmediate`.
 */
function at(dueNs: number, clock: Clock, then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const wait = (): void => {
    const leftMs = (dueNs - clock()) / 1e6;
    if (leftMs <= 0) then();
    else if (leftMs < 1) turn = setImmediate(wait);
    else timer = setTimeout(wait, Math.min(Math.max(1, Math.floor(leftMs - 0.5)), LONGEST_WAIT_MS));
  };
  // The first `wait` is deferred too, so that `then` is never called from within `enter`.
  turn = setImmediate(wait);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

// The flags of a delivery.
const MARKED = 1;
const MORE_FOLLOW = 2;

/** Longest time that a timer is set for, in ms. It is below Node's limit. */
const LONGEST_WAIT_MS = 2 ** 30;
