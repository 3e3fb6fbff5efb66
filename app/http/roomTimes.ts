/**
 * When a server that holds back (`roomBytes`) should look whether there is room: no event tells it that its data were
 * acknowledged, which happens a way's time after they came to its client.
 */
export class RoomTimes {
  #clientConnectedNs: number | undefined;
  /** From the client to its server; undefined until the handshake has shown it. */
  #wayNs: number | undefined;
  /** Rising; whole, so that time goes on. */
  readonly #looksNs: number[] = [];

  handleClientConnected(nowNs: number): void {
    this.#clientConnectedNs = nowNs;
  }

  handleServerConnected(nowNs: number): void {
    // an acknowledgement with SACK blocks takes a little longer
    if (this.#clientConnectedNs !== undefined) this.#wayNs = (nowNs - this.#clientConnectedNs) * 1.03;
  }

  /** Data came to the client. */
  handleReadable(nowNs: number): void {
    if (this.#wayNs !== undefined) this.#looksNs.push(Math.ceil(nowNs + this.#wayNs));
  }

  /** Behind now; also for what is acknowledged later than it came. */
  next(nowNs: number): number {
    while ((this.#looksNs[0] ?? Number.POSITIVE_INFINITY) <= nowNs) this.#looksNs.shift();
    const lateNs = nowNs + Math.max((this.#wayNs ?? 0) / 4, LEAST_WAIT_NS);
    return Math.min(lateNs, this.#looksNs[0] ?? lateNs);
  }
}

const LEAST_WAIT_NS = 5e6;
