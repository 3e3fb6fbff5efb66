/**
 * When a server that holds back should look whether there is room (`roomBytes`): no event tells it that its data were
 * acknowledged, which happens a way's time after they came to its client.
 */
export class RoomTimes {
  #clientConnectedNs: number | undefined;
  /** From the client to its server; undefined until the handshake has shown it. */
  #wayNs: number | undefined;
  /** Rising; whole, so that time goes on. */
  readonly #looksNs: number[] = [];
  #arrivals = 0;
  #lastLookNs = 0;

  handleClientConnected(nowNs: number): void {
    this.#clientConnectedNs = nowNs;
  }

  handleServerConnected(nowNs: number): void {
    // an acknowledgement with SACK blocks takes a little longer
    if (this.#clientConnectedNs !== undefined) this.#wayNs = (nowNs - this.#clientConnectedNs) * 1.03;
  }

  /** Data came to the client. */
  handleReadable(nowNs: number): void {
    // every second packet is acknowledged (RFC 5681 §4.2)
    if (this.#wayNs === undefined || this.#arrivals++ % 2 === 0) return;
    this.#looksNs.push(Math.ceil(nowNs + this.#wayNs));
  }

  /** There is a reason to look now; gives true once. */
  pollLook(nowNs: number): boolean {
    if (this.next() > nowNs) return false;
    while ((this.#looksNs[0] ?? Number.POSITIVE_INFINITY) <= nowNs) this.#looksNs.shift();
    this.#lastLookNs = nowNs;
    return true;
  }

  /** When there will be one; a way's time after the last, for what is acknowledged later than it came. */
  next(): number {
    const lateNs = Math.ceil(this.#lastLookNs + Math.max(this.#wayNs ?? 0, LEAST_WAIT_NS));
    return Math.min(lateNs, this.#looksNs[0] ?? lateNs);
  }
}

const LEAST_WAIT_NS = 5e6;
