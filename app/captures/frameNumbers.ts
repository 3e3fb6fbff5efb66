import type {DatagramRequest} from '../http/datagrams/datagramRequest.ts';

/**
 * Finds the numbers that the client gave its requests in datagrams (`OutgoingDatagram.number` in `datagramClient.ts`).
 * The datagrams do not contain these numbers. A request for a whole response keeps its number if it is repeated. Each
 * request for some frames of a response has a new number.
 */
export class RequestNumbers {
  /** For each response, the number of the request for the whole response. */
  readonly #numbers: number[] = [];
  readonly #isAsked = new Set<number>();
  #next = 0;

  /** Returns the numbers of requests that were sent at the same time. Call it in order of time. */
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

  /**
   * Notes that the client made this request and all before it. Clients make their requests in order, some perhaps over
   * TCP.
   */
  #begin(request: number): void {
    if (request >= MOST_REQUESTS) return;
    while (this.#numbers.length <= request) this.#numbers.push(this.#next++);
  }
}

/** A response of the server, and when its first request arrived. */
export interface Answer {
  readonly request: number;
  /**
   * When the first request arrived. If it was sent over TCP, or if the capture does not say when it arrived, this is
   * when it was sent. Infinite if no request is known.
   */
  readonly askedNs: number;
  /**
   * Index of this request among all datagrams. 0 if it was sent over TCP. Requests that arrive at the same time are in
   * the order of this index.
   */
  readonly askedBy: number;
  /** How many frames the response has. 0 if the server sent none. */
  readonly frames: number;
}

/**
 * Returns the number of each response's first frame, as the server counts (`datagramServer.ts`): over all responses, in
 * the order in which their requests arrived.
 */
export function firstNumbers(answers: readonly Answer[]): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  let next = 0;
  for (const {request, frames} of answers.toSorted((a, b) => a.askedNs - b.askedNs || a.askedBy - b.askedBy)) {
    numbers.set(request, next);
    next += frames;
  }
  return numbers;
}

/** The most requests of a load that are counted. A request with a higher number must be damaged. */
const MOST_REQUESTS = 100_000;
