import type {ServerLimits} from './limits.ts';

/** Who sends heads of requests. */
export interface HeadSender {
  giveUp(): void;
}

/**
 * What peers may have a server keep of heads that have come in part, before any token is checked: each so much, and all
 * together so much; beyond that whoever began first goes.
 */
export class HeadBudget {
  readonly #limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>;
  /** Since they have begun. */
  readonly #senders = new Map<HeadSender, number>();
  #bytes = 0;

  constructor(limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>) {
    this.#limits = limits;
  }

  /** Of all of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So much is kept of its heads now; 0 forgets it. */
  settle(sender: HeadSender, bytes: number): void {
    const {headBytes, headInAllBytes} = this.#limits;
    this.#bytes += bytes - (this.#senders.get(sender) ?? 0);
    if (bytes === 0) this.#senders.delete(sender);
    else this.#senders.set(sender, bytes);
    if (bytes > headBytes) this.#giveUp(sender);
    while (this.#bytes > headInAllBytes) {
      const [oldest] = this.#senders.keys();
      if (oldest === undefined) return;
      this.#giveUp(oldest);
    }
  }

  #giveUp(sender: HeadSender): void {
    this.settle(sender, 0);
    sender.giveUp();
  }
}
