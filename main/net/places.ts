import {addressGroup} from './addressGroup.ts';

/** Who has a place. */
export interface Placed {
  /** It keeps nobody waiting: it may be ended without harm. */
  readonly isIdle: boolean;
  /** Ends it, and has its place given back. */
  giveUp(): void;
}

/**
 * A bounded number of places for clients. Where all are taken, the address that has most gives one up: its oldest idle
 * one, or its oldest at all if the new one's address has fewer still. So nobody locks others out from one address.
 */
export class Places<T extends Placed> {
  readonly #most: number;
  /** With their {@link addressGroup}; whoever was used last stands last. */
  readonly #groups = new Map<T, string>();
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Whether {@link Places.makeRoom} would. */
  hasRoomFor(address: string): boolean {
    return this.size < this.#most || this.#nextToGo(address) !== undefined;
  }

  /** False: there is no place for it. */
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

  /** It is used. */
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
      // of those that have more than the new one
      if (count > own && placed.isIdle) idle ??= placed;
    }
    return idle ?? (most > own + 1 ? oldest : undefined);
  }
}
