import type {TransportEvent} from './transports.ts';

/**
 * Decides when a browser opens a second TCP connection to an origin because the first one is not established in time
 * (`BrowserRules.backupMs`).
 */
export class SecondConnection {
  readonly #afterNs: number | undefined;
  #atNs: number | undefined;
  #isSettled = false;

  /**
   * `afterNs` is the time in which the first connection has to be established. If it is undefined, there is never a
   * second connection.
   */
  constructor(afterNs: number | undefined) {
    this.#afterNs = afterNs;
  }

  /**
   * The time at which {@link isDue} must be called. Undefined if this time is not known yet, or if no second connection
   * is needed.
   */
  get timeoutNs(): number | undefined {
    return this.#atNs;
  }

  /** Handles an event of the client of the first connection. */
  handleFirst({type}: TransportEvent): void {
    if (SETTLING.has(type)) this.settle();
  }

  /** Called when no second connection is needed any more. */
  settle(): void {
    this.#isSettled = true;
    this.#atNs = undefined;
  }

  /**
   * Returns whether the second connection must be opened now. The result is true only once. The time of the first
   * connection begins with the first call, so call this when the first connection is opened, and then at {@link
   * timeoutNs}.
   */
  isDue(nowNs: number): boolean {
    if (this.#isSettled || this.#afterNs === undefined) return false;
    this.#atNs ??= nowNs + this.#afterNs;
    if (nowNs < this.#atNs) return false;
    this.settle();
    return true;
  }
}

/** The events which say that the first connection is established or has failed. */
const SETTLING: ReadonlySet<TransportEvent['type']> = new Set(['connected', 'established', 'closed', 'peer-closed']);
