import {type Speed, speedOf} from '../../app/telling/movie/speed.ts';

/** Shows time t; a promise is kept when everything visible shows it. */
export type Show = (tNs: number) => void | Promise<void>;

/** What changes at human speed: for React. */
export interface PlayerState {
  readonly isPlaying: boolean;
  /** Run time per wall time. */
  readonly speed: number;
  /** `auto` where nobody chose one: it follows the run's length. */
  readonly chosenSpeed: Speed;
  /** Where playing stops, ns since the run's start. */
  readonly endNs: number;
}

/**
 * The one t of the window. Playing, stepping, scrubbing and recording only choose it; what shows it
 * subscribes. Times are ns since the run's start, within 0–`endNs`.
 */
export class Player {
  #tNs = 0;
  /** Where a story's step ends, ns; null without. */
  #stopNs: number | null = null;
  #untilNs = Number.POSITIVE_INFINITY;
  #state: PlayerState = {isPlaying: false, speed: 1, chosenSpeed: 'auto', endNs: 0};
  #frame = 0;
  /** Of a live load, whose length is not known yet. */
  #isGrowing = false;
  readonly #shows = new Set<Show>();
  readonly #listeners = new Set<() => void>();

  get tNs(): number {
    return this.#tNs;
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** As {@link play} was told last. */
  get untilNs(): number {
    return this.#untilNs;
  }

  /** Calls `show` now and at every t; gives what ends that. */
  onTime(show: Show): () => void {
    this.#shows.add(show);
    void show(this.#tNs);
    return () => this.#shows.delete(show);
  }

  /** Calls `listener` when {@link state} changes (React's useSyncExternalStore); gives what ends that. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Kept when everything visible shows the nearest t within the run. */
  async seek(tNs: number): Promise<void> {
    this.#tNs = Math.min(Math.max(tNs, 0), this.#state.endNs);
    await Promise.all(Array.from(this.#shows, show => show(this.#tNs)));
  }

  /** To `untilNs`, or the end where t is past that; from the start again, if it stands there. */
  play(untilNs = Number.POSITIVE_INFINITY): void {
    if (this.#state.isPlaying) return;
    if (this.#tNs >= this.#state.endNs) void this.seek(0);
    this.#untilNs = untilNs > this.#tNs ? untilNs : Number.POSITIVE_INFINITY;
    this.#set({isPlaying: true});
    let lastMs = performance.now();
    const frame = (nowMs: number): void => {
      // a frame's time stamp may be from before play()
      const elapsedMs = Math.max(nowMs - lastMs, 0);
      lastMs = nowMs;
      const stopNs = Math.min(this.#untilNs, this.#stopAfter(this.#tNs));
      void this.seek(Math.min(this.#tNs + elapsedMs * 1e6 * this.#state.speed, stopNs));
      if (this.#tNs >= stopNs) this.pause();
      else this.#frame = requestAnimationFrame(frame);
    };
    this.#frame = requestAnimationFrame(frame);
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    this.#set({isPlaying: false});
  }

  /** Playing stops when it comes there, and goes on from there when it is told to. Null: at the end alone. */
  setStop(stopNs: number | null): void {
    this.#stopNs = stopNs;
  }

  setSpeed(chosenSpeed: Speed): void {
    this.#set({chosenSpeed, speed: this.#speedOf(chosenSpeed, this.#state.endNs)});
  }

  /** Another run's end; t stays where it is, if that is within it. */
  setEnd(endNs: number): void {
    this.#isGrowing = false;
    this.#moveEnd(endNs);
  }

  /** The end so far of a run that comes by the clock: `auto` is the clock's speed, until {@link setEnd}. */
  setGrowingEnd(endNs: number): void {
    this.#isGrowing = true;
    this.#moveEnd(endNs);
  }

  #moveEnd(endNs: number): void {
    this.#set({endNs, speed: this.#speedOf(this.#state.chosenSpeed, endNs)});
    // whoever shows a run is told t with the new one anyway
    if (this.#tNs > endNs) void this.seek(endNs);
  }

  #stopAfter(tNs: number): number {
    const {endNs} = this.#state;
    return this.#stopNs !== null && this.#stopNs > tNs ? Math.min(this.#stopNs, endNs) : endNs;
  }

  #speedOf(speed: Speed, endNs: number): number {
    if (speed === 'auto' && this.#isGrowing) return 1;
    const wanted = speedOf(speed, endNs);
    return speed === 'auto' ? wanted : Math.min(Math.max(wanted, SLOWEST), FASTEST);
  }

  #set(change: Partial<PlayerState>): void {
    this.#state = {...this.#state, ...change};
    for (const listener of this.#listeners) listener();
  }
}

/** What a hand can choose. */
const SLOWEST = 0.01;
const FASTEST = 20;
