import type {TransportEvent} from './transports.ts';

/**
 * Decides when a browser opens a second TCP connection to an origin because the first one is not established in time
 * (`BrowserRules.backupMs`).
 */
export class SecondConnection {
  readonly #afterNs: number | undefined;
  #atNs: number | undefined;
  #isSettled = false;

  /** `afterNs` is the time that the first connection has. If it is undefined, there is never a second one. */
  constructor(afterNs: number | undefined) {
    this.#afterNs = afterNs;
  }

  /** When {@link isDue} must be called. Undefined if this is not known yet, or if no second connection is needed. */
  get timeoutNs(): number | undefined {
    return this.#atNs;
  }

  /** Handles an event of the client of the first connection. */
  handleFirst({type}: TransportEvent): void {
    if (SETTLING.has(type)) this.settle();
  }

  /** No second connection is needed any more. */
  settle(): void {
    this.#isSettled = true;
    this.#atNs = undefined;
  }

  /** Whether the second connection must be opened now. Call this when the first one was opened, and repeatedly. */
  isDue(nowNs: number): boolean {
    if (this.#isSettled || this.#afterNs === undefined) return false;
    this.#atNs ??= nowNs + this.#afterNs;
    if (nowNs < this.#atNs) return false;
    this.settle();
    return true;
  }
}

/** The first connection is established, or it has failed. */
const SETTLING: ReadonlySet<TransportEvent['type']> = new Set(['connected', 'established', 'closed', 'peer-closed']);
