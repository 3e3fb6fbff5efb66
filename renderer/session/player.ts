import {type Speed, speedOf} from '../../app/telling/movie/speed.ts';

/** Draws time t. If it returns a promise, the promise resolves when everything visible shows t. */
export type Show = (tNs: number) => void | Promise<void>;

/** The part of the player that React renders. It seldom changes, unlike t. */
export interface PlayerState {
  readonly isPlaying: boolean;
  /** Run time per wall time: 2 is twice as fast as real time. */
  readonly speed: number;
  /** The speed that the user chose. With `auto`, the run's length decides. */
  readonly chosenSpeed: Speed;
  /** The end of the run, ns since its start. Playing stops there at the latest. */
  readonly endNs: number;
}

/**
 * Owns the time t that the whole window shows, in ns since the run's start, from 0 to `endNs`. Playing, stepping,
 * scrubbing and recording set t; everything that shows t subscribes.
 */
export class Player {
  #tNs = 0;
  /** The time at which a story's step ends, ns; null without a story, or if the step states no end. */
  #stopNs: number | null = null;
  /** The times at which playing stops so that a user sees what happens, ns, ascending. */
  #freezes: readonly number[] = [];
  #untilNs = Number.POSITIVE_INFINITY;
  #state: PlayerState = {isPlaying: false, speed: 1, chosenSpeed: 'auto', endNs: 0};
  #frame = 0;
  /** Whether the run is a live load whose length is not known yet. */
  #isGrowing = false;
  readonly #shows = new Set<Show>();
  readonly #listeners = new Set<() => void>();

  get tNs(): number {
    return this.#tNs;
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** The time up to which the last call of {@link play} plays, ns; infinite if it plays to the end of the run. */
  get untilNs(): number {
    return this.#untilNs;
  }

  /** Calls `show` now and whenever t changes. Returns a function that ends the subscription. */
  onTime(show: Show): () => void {
    this.#shows.add(show);
    void show(this.#tNs);
    return () => this.#shows.delete(show);
  }

  /** Calls `listener` when {@link state} changes. Returns a function that ends this (React's useSyncExternalStore). */
  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Moves to `tNs`, limited to the run. The promise resolves when everything visible shows that time. */
  async seek(tNs: number): Promise<void> {
    this.#tNs = Math.min(Math.max(tNs, 0), this.#state.endNs);
    await Promise.all(Array.from(this.#shows, show => show(this.#tNs)));
  }

  /**
   * Plays to `untilNs`, or to the end if t has already reached `untilNs`. If t is at the end, plays from the start.
   * The times of {@link setStop} and {@link setFreezes} may end playing earlier. Does nothing while the run is playing.
   */
  play(untilNs = Number.POSITIVE_INFINITY): void {
    if (this.#state.isPlaying) return;
    if (this.#tNs >= this.#state.endNs) void this.seek(0);
    this.#untilNs = untilNs > this.#tNs ? untilNs : Number.POSITIVE_INFINITY;
    this.#set({isPlaying: true});
    let lastMs = performance.now();
    const frame = (nowMs: number): void => {
      // a frame's time stamp may be earlier than the call of play()
      const elapsedMs = Math.max(nowMs - lastMs, 0);
      lastMs = nowMs;
      const freezeNs = this.#freezes.find(ns => ns > this.#tNs) ?? Number.POSITIVE_INFINITY;
      const stopNs = Math.min(this.#untilNs, freezeNs, this.#stopAfter(this.#tNs));
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

  /** Jumps to the time at which playing would stop, and pauses there. The times of {@link setFreezes} are skipped. */
  finish(): void {
    const stopNs = Math.min(this.#untilNs, this.#stopAfter(this.#tNs));
    this.pause();
    void this.seek(stopNs);
  }

  /** Sets a time at which playing stops and can be continued; null removes this time. */
  setStop(stopNs: number | null): void {
    this.#stopNs = stopNs;
  }

  /** Sets the times at which playing stops and can be continued, ns, ascending. */
  setFreezes(freezes: readonly number[]): void {
    this.#freezes = freezes;
  }

  setSpeed(chosenSpeed: Speed): void {
    this.#set({chosenSpeed, speed: this.#speedOf(chosenSpeed, this.#state.endNs)});
  }

  /** Sets the end of another run. t stays if it lies within that run. */
  setEnd(endNs: number): void {
    this.#isGrowing = false;
    this.#moveEnd(endNs);
  }

  /** Sets how far a live load has come. Speed `auto` means real time until {@link setEnd} is called. */
  setGrowingEnd(endNs: number): void {
    this.#isGrowing = true;
    this.#moveEnd(endNs);
  }

  #moveEnd(endNs: number): void {
    this.#set({endNs, speed: this.#speedOf(this.#state.chosenSpeed, endNs)});
    // if t stays, nothing is drawn here: the views of the new run get t when they subscribe
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

/** The limits of the speeds that can be chosen. */
const SLOWEST = 0.01;
const FASTEST = 20;
