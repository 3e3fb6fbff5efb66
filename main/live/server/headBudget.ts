import type {ServerLimits} from './serverLimits.ts';

/** A connection on which request heads are received. */
export interface HeadSender {
  giveUp(): void;
}

/**
 * Bounds the memory for incomplete request heads. A server must keep them before it can check a token, so anybody can
 * fill this memory. The limit `headBytes` applies to each sender, `headInAllBytes` to all senders together. A sender
 * that exceeds its own limit is ended. If all senders together exceed the common limit, senders are ended until the
 * total is within it. The sender whose heads have been incomplete for longest is ended first.
 */
export class HeadBudget {
  readonly #limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>;
  /** How many bytes are kept for each sender. Senders that have had an incomplete head for longest come first. */
  readonly #senders = new Map<HeadSender, number>();
  #bytes = 0;

  constructor(limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>) {
    this.#limits = limits;
  }

  /** How many bytes are kept for all senders together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sets how many bytes are kept for a sender, and ends senders if a limit is exceeded. 0 removes the sender. */
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
