import {addressGroup} from '../../net/addressGroup.ts';

/** A token bucket: how many events are allowed per second, and how many at once. */
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits how often something is allowed to one address, and to all addresses together. */
export class Rate {
  readonly #ofOne: Bucket;
  readonly #ofAll: Bucket;
  #all: Level;
  /** The buckets of addresses, by {@link addressGroup}. The group that asked last is at the end. */
  readonly #levels = new Map<string, Level>();

  constructor(ofOne: Bucket, ofAll: Bucket) {
    this.#ofOne = ofOne;
    this.#ofAll = ofAll;
    this.#all = {left: ofAll.burst, sinceNs: 0};
  }

  /** Whether the event is allowed to the address now. Only events that are allowed are counted. */
  allows(address: string, nowNs: number): boolean {
    const group = addressGroup(address);
    const own = filled(this.#levels.get(group) ?? {left: this.#ofOne.burst, sinceNs: nowNs}, this.#ofOne, nowNs);
    this.#all = filled(this.#all, this.#ofAll, nowNs);
    const mayCome = own.left >= 1 && this.#all.left >= 1;
    this.#levels.delete(group);
    this.#levels.set(group, mayCome ? taken(own) : own);
    if (mayCome) this.#all = taken(this.#all);
    const [oldest] = this.#levels.keys();
    if (this.#levels.size > MOST_GROUPS && oldest !== undefined) this.#levels.delete(oldest);
    return mayCome;
  }
}

interface Level {
  readonly left: number;
  readonly sinceNs: number;
}

function filled({left, sinceNs}: Level, {perSecond, burst}: Bucket, nowNs: number): Level {
  return {left: Math.min(burst, left + ((nowNs - sinceNs) / 1e9) * perSecond), sinceNs: nowNs};
}

function taken({left, sinceNs}: Level): Level {
  return {left: left - 1, sinceNs};
}

/** Most groups of addresses that are remembered. A group that was forgotten starts again with a full bucket. */
const MOST_GROUPS = 10_000;
