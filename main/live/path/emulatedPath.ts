import {flowTraces, pathParams, trafficOptions} from '../../../app/engine/openSimulation.ts';
import type {BothWays, PathSettings} from '../../../app/run/scenario/path.ts';
import type {PathCounts, RunningChange, RunningPath, TrafficCounts} from '../../../app/run/scenario/runningPath.ts';
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
   * Called when the packet leaves the path. If the path duplicates the packet, this is called for each copy. Not called
   * if the packet is lost. `isMarked` says whether the packet must get the ECN codepoint CE.
   */
  readonly deliver: (isMarked: boolean) => void;
}

/**
 * The emulated path in real time. The setting `traffic` names other traffic, which also passes through the path. The
 * path delivers no packet after {@link EmulatedPath.close}.
 *
 * The path's own time begins with the first packet. Traffic with a negative start is on the path before that time.
 */
export class EmulatedPath {
  readonly #emulator: Emulator;
  readonly #clock: Clock;
  readonly #held = new Map<number, EnteringPacket['deliver']>();
  readonly #onStart: () => void;
  #settings: PathSettings;
  #seed: number;
  /** When the first packet entered. */
  #startNs: number | undefined;
  #handOvers = 0;
  /** How many packets came from or went to a former address of a client, for each direction. */
  readonly #strays = {down: 0, up: 0};
  #entered = 0;
  #lastNs = Number.NEGATIVE_INFINITY;
  #dueNs = Number.POSITIVE_INFINITY;
  #stop = (): void => undefined;

  /** `onStart` is called when the first packet enters. */
  constructor(settings: PathSettings, seed: number, clock: Clock, onStart: () => void = () => undefined) {
    this.#emulator = new Emulator(
      JSON.stringify({seed, path: pathParams(settings, seed), ...trafficOptions(settings)}),
    );
    // Traffic that starts before the first packet is computed now, because the first packet must not wait for it.
    this.#emulator.pollTransmit(0);
    this.#settings = settings;
    this.#seed = seed;
    this.#clock = clock;
    this.#onStart = onStart;
  }

  get settings(): PathSettings {
    return this.#settings;
  }

  get seed(): number {
    return this.#seed;
  }

  /** The path's settings and counts. */
  get state(): Omit<RunningPath, 'clients' | 'refused'> {
    const traffic = this.#trafficCounts();
    return {path: this.#settings, seed: this.#seed, counts: this.#counts(), traffic, handOvers: this.#handOvers};
  }

  #counts(): BothWays<PathCounts> {
    const {down, up} = this.#emulator.counts();
    const withStrays = (counts: PathCounts, strays: number): PathCounts => {
      return {...counts, handedOver: counts.handedOver + strays};
    };
    return {down: withStrays(down, this.#strays.down), up: withStrays(up, this.#strays.up)};
  }

  /** Returns the counts of each item of the other traffic. An item may have several flows, whose counts are added. */
  #trafficCounts(): readonly TrafficCounts[] {
    const flows = this.#emulator.trafficCounts();
    let first = 0;
    return (this.#settings.traffic ?? []).map(item => {
      const own = flows.slice(first, first + flowTraces({traffic: [item]}).length);
      first += own.length;
      const sum = (key: keyof TrafficCounts): number => own.reduce((total, counts) => total + counts[key], 0);
      return {passed: sum('passed'), passedBytes: sum('passedBytes'), dropped: sum('dropped')};
    });
  }

  /** Time since the latest packet entered. Infinity if none has entered. */
  get silentNs(): number {
    return this.#clock() - this.#lastNs;
  }

  enter({direction, bytes, hasData, flow, ecn, deliver}: EnteringPacket): void {
    this.#lastNs = this.#clock();
    if (this.#startNs === undefined) {
      this.#startNs = this.#lastNs;
      this.#onStart();
    }
    const number = this.#entered++;
    const isAccepted = this.#emulator.handlePacket(direction, bytes, hasData, number, this.#now(), flow, ecn);
    if (isAccepted) this.#held.set(number, deliver);
    this.#schedule();
  }

  /** Counts a packet from or to an address that a client had before a hand-over. Such a packet is lost. */
  loseStray(direction: Direction): void {
    this.#strays[direction]++;
  }

  /**
   * Changes the path. New settings apply to packets whose transmission has not started. The MTU does not change. A
   * hand-over loses the packets in the queues and the packets on their way to the client, and ends the other traffic.
   * After it, the caller changes the addresses of its clients. A new seed restarts the random draws of losses and
   * delays: a load that starts afterwards has the same draws as a run with this seed.
   */
  change({path, isHandover, isNewTraffic, seed}: RunningChange): void {
    const {down, up} = pathParams(path, seed ?? this.#seed);
    const now = this.#now();
    if (isHandover) {
      this.#emulator.handOver(down, up, now);
      this.#handOvers++;
    } else {
      this.#emulator.setLink('down', down, now);
      this.#emulator.setLink('up', up, now);
    }
    if (seed !== undefined) this.restartLoss(seed);
    if (isNewTraffic) this.#emulator.setTraffic(JSON.stringify(trafficOptions(path).traffic ?? []), now);
    this.#settings = path;
    this.#schedule();
  }

  /** Restarts the random draws of losses and delays with `seed`. */
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
    const arrived = this.#emulator.pollTransmit(this.#now());
    for (let i = 0; i < arrived.length; i += 3) {
      const [number = 0, atNs, flags = 0] = arrived.subarray(i, i + 3);
      const deliver = this.#held.get(number);
      if ((flags & MORE_FOLLOW) === 0) this.#held.delete(number);
      if (atNs !== Number.POSITIVE_INFINITY) deliver?.((flags & MARKED) !== 0);
    }
    this.#schedule();
  };

  /** The path's own time, which is 0 until the first packet enters. */
  readonly #now = (): number => (this.#startNs === undefined ? 0 : this.#clock() - this.#startNs);

  #schedule(): void {
    if (this.#startNs === undefined) return;
    const dueNs = this.#emulator.nextTimeoutNs;
    if (dueNs === this.#dueNs) return;
    this.#stop();
    this.#dueNs = dueNs;
    this.#stop = dueNs === Number.POSITIVE_INFINITY ? () => undefined : at(dueNs, this.#now, this.#deliver);
  }
}

/**
 * Calls `then` at the time `dueNs`. Returns a function that cancels the call. Node's timers are late by 0.8 ms in the
 * median, so this function waits the last millisecond by `setImmediate`, with pauses in which the programs at the ends
 * of the path can run.
 */
function at(dueNs: number, clock: Clock, then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const wait = (): void => {
    const leftMs = (dueNs - clock()) / 1e6;
    if (leftMs <= 0) then();
    else if (leftMs < 1) {
      if (leftMs > LONGEST_PAUSE_MS) Atomics.wait(SLEEP, 0, 0, PAUSE_MS);
      turn = setImmediate(wait);
    } else timer = setTimeout(wait, Math.min(Math.max(1, Math.floor(leftMs - 0.5)), LONGEST_WAIT_MS));
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

/** Nobody writes this memory, so waiting for a change of it is a pause. */
const SLEEP = new Int32Array(new SharedArrayBuffer(4));
/**
 * The requested length of a pause, in ms. In fact a pause takes 0.07 to 0.12 ms. Packets that enter during a pause are
 * delayed until it ends.
 */
const PAUSE_MS = 0.05;
/** Few pauses take longer than this, in ms. If less than this time is left until a packet is due, there is no pause. */
const LONGEST_PAUSE_MS = 0.15;
/** Longest time that a timer is set for, in ms. It is below Node's limit. */
const LONGEST_WAIT_MS = 2 ** 30;
