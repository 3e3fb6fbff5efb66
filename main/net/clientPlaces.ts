import {addressGroup} from './addressGroup.ts';

/** Something that occupies a place, for example a connection. */
export interface Placed {
  /** Whether it has nothing to do, so that it can be ended without harm. */
  readonly isIdle: boolean;
  /** Ends it. */
  giveUp(): void;
}

/**
 * A bounded number of places for clients. Addresses of one {@link addressGroup} count as one address. If all places are
 * occupied, a new client may replace another client. So nobody who has a single address can lock out all others. The
 * new client replaces the least recently used idle client of the address with the most clients. If that address has no
 * idle client, the new client replaces the least recently used idle client of all addresses that have more clients than
 * its own address. If there is no such idle client, it replaces the least recently used client of the address with the
 * most clients, but only if that address has at least two clients more than the new client's address.
 */
export class Places<T extends Placed> {
  readonly #most: number;
  /** Each client's {@link addressGroup}. The client that was used last is at the end. */
  readonly #groups = new Map<T, string>();
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Whether {@link Places.makeRoom} would succeed. */
  hasRoomFor(address: string): boolean {
    return this.size < this.#most || this.#nextToGo(address) !== undefined;
  }

  /** Makes sure that a place is free. False if none could be freed. The client must then be refused. */
  makeRoom(address: string): boolean {
    if (this.size < this.#most) return true;
    const placed = this.#nextToGo(address);
    if (placed === undefined) return false;
    this.delete(placed);
    placed.giveUp();
    return true;
  }

  add(placed: T, address: string): void {
    const group = addressGroup(address);
    this.#groups.set(placed, group);
    this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1);
  }

  /** Marks a client as used now. */
  touch(placed: T): void {
    const group = this.#groups.get(placed);
    if (group === undefined) return;
    this.#groups.delete(placed);
    this.#groups.set(placed, group);
  }

  delete(placed: T): void {
    const group = this.#groups.get(placed);
    if (group === undefined) return;
    this.#groups.delete(placed);
    const left = (this.#counts.get(group) ?? 0) - 1;
    if (left > 0) this.#counts.set(group, left);
    else this.#counts.delete(group);
  }

  #nextToGo(address: string): T | undefined {
    const own = this.#counts.get(addressGroup(address)) ?? 0;
    const most = Math.max(...this.#counts.values());
    let [oldest, idle]: [T | undefined, T | undefined] = [undefined, undefined];
    for (const [placed, group] of this.#groups) {
      const count = this.#counts.get(group) ?? 0;
      if (count === most && placed.isIdle) return placed;
      if (count === most) oldest ??= placed;
      // an idle client of an address with more clients than the new client's address
      if (count > own && placed.isIdle) idle ??= placed;
    }
    return idle ?? (most > own + 1 ? oldest : undefined);
  }
}
