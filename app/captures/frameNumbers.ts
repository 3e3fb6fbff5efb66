import type {DatagramRequest} from '../http/datagrams/datagramRequest.ts';

/**
 * Numbers the requests that a client sent in datagrams as the client numbers them (`datagramClient.ts`): a request for a
 * whole response has one number, also if it is repeated, and each request for some of its frames has a new one. Call it
 * with the requests that were sent at the same time, in the order of time.
 */
export class RequestNumbers {
  /** The number of each response's request. */
  readonly #numbers: number[] = [];
  readonly #isAsked = new Set<number>();
  #next = 0;

  numbersOf(asked: readonly DatagramRequest[]): readonly {readonly number: number; readonly isRepeat: boolean}[] {
    // the client numbers new requests before it sends anything
    for (const {request} of asked) this.#begin(request);
    return asked.map(({request, ranges}) => {
      if (ranges !== null) return {number: this.#next++, isRepeat: false};
      const isRepeat = this.#isAsked.has(request);
      this.#isAsked.add(request);
      return {number: this.#numbers[request] ?? 0, isRepeat};
    });
  }

  /** A client makes its requests in order, so those before a new one have been made, perhaps over TCP. */
  #begin(request: number): void {
    if (request >= MOST_REQUESTS) return;
    while (this.#numbers.length <= request) this.#numbers.push(this.#next++);
  }
}

/** A response whose first request has arrived at the server. */
export interface Answer {
  readonly request: number;
  /** When the first request that arrived was sent. Infinite if none is known. */
  readonly askedNs: number;
  /** How many frames the response has. 0 if the server sent none. */
  readonly frames: number;
  /** The place of the first frame outside of the abstract among all frames that the server sent. Null if it sent none. */
  readonly firstSent: number | null;
}

/**
 * Returns the number of each response's first frame, as the server counts (`datagramServer.ts`): over all responses, in
 * the order in which their requests arrived. The server sends the first frames outside of abstracts in this order. It is
 * that of the requests, unless the path changed the order.
 */
export function firstNumbers(answers: readonly Answer[]): ReadonlyMap<number, number> {
  const byRequest = [...answers].sort((a, b) => a.askedNs - b.askedNs || a.request - b.request);
  const sent = answers.filter(({firstSent}) => firstSent !== null);
  sent.sort((a, b) => (a.firstSent ?? 0) - (b.firstSent ?? 0));
  const numbers = new Map<number, number>();
  let [next, sentBefore] = [0, 0];
  for (const answer of byRequest) {
    // responses without such a frame keep their places among the others
    const own = answer.firstSent === null ? answer : (sent[sentBefore++] ?? answer);
    numbers.set(own.request, next);
    next += own.frames;
  }
  return numbers;
}

/** The most requests of a load that are counted. Requests with higher numbers are damaged. */
const MOST_REQUESTS = 100_000;
