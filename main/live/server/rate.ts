import {addressGroup} from '../../net/addressGroup.ts';

/** A token bucket. It allows `perSecond` events per second in the long run, and `burst` events at the same time. */
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * Limits how often an event is allowed for one address group, and for all addresses together. An address group is an
 * IPv4 address or an IPv6 /64 network ({@link addressGroup}).
 */
export class Rate {
  readonly #ofOne: Bucket;
  readonly #ofAll: Bucket;
  #all: Level;
  /** The bucket of each address group, keyed by {@link addressGroup}. The group of the latest event is at the end. */
  readonly #levels = new Map<string, Level>();

  constructor(ofOne: Bucket, ofAll: Bucket) {
    this.#ofOne = ofOne;
    this.#ofAll = ofAll;
    this.#all = {left: ofAll.burst, sinceNs: 0};
  }

  /** Whether an event is allowed for this address now. Only allowed events are counted. */
  allows(address: string, nowNs: number): boolean {
    const group = addressGroup(address);
    const own = filled(this.#levels.get(group) ?? {left: this.#ofOne.burst, sinceNs: nowNs}, this.#ofOne, nowNs);
    this.#all = filled(this.#all, this.#ofAll, nowNs);
    const isAllowed = own.left >= 1 && this.#all.left >= 1;
    this.#levels.delete(group);
    this.#levels.set(group, isAllowed ? taken(own) : own);
    if (isAllowed) this.#all = taken(this.#all);
    const [oldest] = this.#levels.keys();
    if (this.#levels.size > MOST_GROUPS && oldest !== undefined) this.#levels.delete(oldest);
    return isAllowed;
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

/**
 * Largest number of address groups whose buckets are kept. A group whose bucket was dropped starts again with a full
 * bucket.
 */
const MOST_GROUPS = 10_000;
