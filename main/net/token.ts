import {createHash, timingSafeEqual} from 'node:crypto';
import {addressGroup} from './addressGroup.ts';

/** What a token is: whatever a header can have without a blank, and too long to be guessed. */
const TOKEN_LIMIT = 'ASCII without spaces, 16 to 1000';

/** @throws RangeError, without the token itself: it is for nobody's eyes */
export function checkToken(text: string): void {
  if (!/^[\x21-\x7e]*$/.test(text)) throw new RangeError(`token has characters that none may have: ${TOKEN_LIMIT}`);
  if (text.length < LEAST_CHARACTERS || text.length > MOST_CHARACTERS)
    throw new RangeError(`token has ${text.length} characters: must be ${TOKEN_LIMIT}`);
}

/**
 * Tells of an Authorization field whether it has the token (RFC 6750 §2.1). An address whose guesses were wrong has to
 * wait, for longer with each, and until then not even the right token is taken from it: or else it would go on guessing.
 */
export class TokenGate {
  readonly #expected: Buffer;
  readonly #nowMs: () => number;
  /** By {@link addressGroup}; whoever guessed last stands last. */
  readonly #guessers = new Map<string, Guesser>();

  constructor(token: string, nowMs: () => number = () => performance.now()) {
    this.#expected = digest(token);
    this.#nowMs = nowMs;
  }

  isRight(authorization: string | undefined, address: string): boolean {
    // whoever brings none has not guessed
    if (authorization === undefined) return false;
    const group = addressGroup(address);
    const guesser = this.#guessers.get(group);
    const nowMs = this.#nowMs();
    if (guesser !== undefined && nowMs < guesser.waitsUntilMs) return false;
    const given = /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
    // digests: in the same time however much of it is right, and however long it is
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

/** 96 bits, if they are drawn from base64: at a guess a minute nobody finds it. */
const LEAST_CHARACTERS = 16;
const MOST_CHARACTERS = 1000;
/** A page's first requests bring a wrong one several times at once. */
const FREE_GUESSES = 10;
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [1000, 60_000];
const FORGET_MS = 600_000;
const MOST_GUESSERS = 10_000;
