import {createHash, timingSafeEqual} from 'node:crypto';
import {addressGroup} from './addressGroup.ts';

/** What a token may be: characters that a header field can have without quoting, and too many to guess. */
const TOKEN_LIMIT = 'ASCII without spaces, 16 to 1000';

/** @throws RangeError if it cannot be a token. The message does not contain it, because it is a secret. */
export function checkToken(text: string): void {
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new RangeError(`token has characters that are not allowed: must be ${TOKEN_LIMIT}`);
  if (text.length < LEAST_CHARACTERS || text.length > MOST_CHARACTERS)
    throw new RangeError(`token has ${text.length} characters: must be ${TOKEN_LIMIT}`);
}

/**
 * Checks whether an Authorization field has the right token (RFC 6750 §2.1). After wrong guesses an address must wait,
 * each time for longer. During the wait even the right token is refused, or else guessing could go on.
 */
export class TokenGate {
  readonly #expected: Buffer;
  readonly #nowMs: () => number;
  /** By {@link addressGroup}. The one that guessed last stands last. */
  readonly #guessers = new Map<string, Guesser>();

  constructor(token: string, nowMs: () => number = () => performance.now()) {
    this.#expected = digest(token);
    this.#nowMs = nowMs;
  }

  isRight(authorization: string | undefined, address: string): boolean {
    // a request without a token is not a guess
    if (authorization === undefined) return false;
    const group = addressGroup(address);
    const guesser = this.#guessers.get(group);
    const nowMs = this.#nowMs();
    if (guesser !== undefined && nowMs < guesser.waitsUntilMs) return false;
    const given = /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
    // digests are compared, so the time depends neither on how much of the token is right nor on its length
    const isRight = timingSafeEqual(digest(given), this.#expected);
    this.#guessers.delete(group);
    if (!isRight) this.#guessers.set(group, guessed(guesser, nowMs));
    const [oldest] = this.#guessers.keys();
    if (this.#guessers.size > MOST_GUESSERS && oldest !== undefined) this.#guessers.delete(oldest);
    return isRight;
  }
}

interface Guesser {
  readonly wrong: number;
  readonly waitsUntilMs: number;
}

function guessed(before: Guesser | undefined, nowMs: number): Guesser {
  const isForgotten = before === undefined || nowMs > before.waitsUntilMs + FORGET_MS;
  const wrong = isForgotten ? 1 : before.wrong + 1;
  const doublings = wrong - FREE_GUESSES;
  const waitMs = doublings < 0 ? 0 : Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** doublings);
  return {wrong, waitsUntilMs: nowMs + waitMs};
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** 16 characters of base64 are 96 bits. Nobody finds them at one guess a minute. */
const LEAST_CHARACTERS = 16;
const MOST_CHARACTERS = 1000;
/** A page's first requests may bring a wrong token several times at once. */
const FREE_GUESSES = 10;
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [1000, 60_000];
const FORGET_MS = 600_000;
const MOST_GUESSERS = 10_000;
