import {addressGroup} from './addressGroup.ts';

/** What holds a place, for example a connection. */
export interface Placed {
  /** Nothing is under way on it: it can be ended without harm. */
  readonly isIdle: boolean;
  /** Ends it. Its place is freed. */
  giveUp(): void;
}

/**
 * A bounded number of places for clients. When all are taken, the address that holds most gives one up: its oldest idle
 * one. If none is idle, it gives up its oldest one, provided that the new client's address still holds fewer. So nobody
 * can lock others out from one address.
 */
export class Places<T extends Placed> {
  readonly #most: number;
  /** Each holder's {@link addressGroup}. The one that was used last stands last. */
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

  /** Frees a place if all are taken. False if none could be freed: the client is to be refused. */
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

  /** Marks it as used now. */
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
      // idle holders of addresses that hold more than the new one's
      if (count > own && placed.isIdle) idle ??= placed;
    }
    return idle ?? (most > own + 1 ? oldest : undefined);
  }
}
