import {createHash, timingSafeEqual} from 'node:crypto';
import {addressGroup} from './addressGroup.ts';

/**
 * The rule for tokens. A header field can contain these characters without quoting. A token of this length cannot be
 * guessed.
 */
const TOKEN_LIMIT = '16 to 1000 ASCII characters without spaces';

/**
 * Checks that a text can be a token. @throws RangeError if it cannot. The message does not contain the text, because
 * tokens are secret
 */
export function checkToken(text: string): void {
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new RangeError(`token has characters that are not allowed: must be ${TOKEN_LIMIT}`);
  if (text.length < LEAST_CHARACTERS || text.length > MOST_CHARACTERS)
    throw new RangeError(`token has ${text.length} characters: must be ${TOKEN_LIMIT}`);
}

/**
 * What a client learns whose token is refused. It does not learn which of the reasons applies, because somebody who
 * guesses tokens must not learn during the wait that a token is right ({@link TokenGate}).
 */
export const REFUSED_TOKEN =
  'the token is wrong or missing, or too many wrong tokens came from this address: ask again later';

/**
 * Checks whether an Authorization field contains the right token (RFC 6750 §2.1). After {@link FREE_GUESSES} wrong
 * tokens an address must wait, and each further wrong token makes the wait longer, up to a minute. During the wait even
 * the right token is refused. Otherwise an attacker could go on guessing.
 */
export class TokenGate {
  readonly #expected: Buffer;
  readonly #nowMs: () => number;
  /** The clients that sent wrong tokens, keyed by {@link addressGroup}. The group that guessed last is at the end. */
  readonly #guessers = new Map<string, Guesser>();

  constructor(token: string, nowMs: () => number = () => performance.now()) {
    this.#expected = digest(token);
    this.#nowMs = nowMs;
  }

  isRight(authorization: string | undefined, address: string): boolean {
    // A request without a token is not counted as a guess.
    if (authorization === undefined) return false;
    const group = addressGroup(address);
    const guesser = this.#guessers.get(group);
    const nowMs = this.#nowMs();
    if (guesser !== undefined && nowMs < guesser.waitsUntilMs) return false;
    const given = /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
    // Digests are compared, so that the time depends neither on the number of right characters nor on the length.
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

/** 16 characters of base64 have 96 bits, which cannot be guessed at one guess a minute. */
const LEAST_CHARACTERS = 16;
const MOST_CHARACTERS = 1000;
/**
 * How many wrong tokens an address may send before it must wait. Several are allowed, because a page may send the same
 * wrong token with several requests at the same time.
 */
const FREE_GUESSES = 10;
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [1000, 60_000];
const FORGET_MS = 600_000;
const MOST_GUESSERS = 10_000;
