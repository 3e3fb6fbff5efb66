import type {ServerLimits} from './serverLimits.ts';

/** A connection that sends request heads. */
export interface HeadSender {
  giveUp(): void;
}

/**
 * Bounds the memory for incomplete request heads, which a server keeps before it can check any token. There is a limit
 * for each peer and one for all together. If all together exceed theirs, the sender that began first is given up.
 */
export class HeadBudget {
  readonly #limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>;
  /** How many bytes are kept for each sender, in the order in which the senders began. */
  readonly #senders = new Map<HeadSender, number>();
  #bytes = 0;

  constructor(limits: Pick<ServerLimits, 'headBytes' | 'headInAllBytes'>) {
    this.#limits = limits;
  }

  /** Bytes kept for all senders. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sets how many bytes are kept for a sender. With 0 the sender is forgotten. */
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
