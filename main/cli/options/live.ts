import {boundTokens, ownToken, type TokenFor} from '../../live/base/liveToken.ts';
import type {Option, Values} from './option.ts';
import {asUsage, UsageError} from './usageError.ts';

/** The option `--token` of commands that load live. */
export const LIVE_TOKEN = {
  type: 'string',
  multiple: true,
  value: 'HOST:PORT=T',
  help:
    'The token T for the live server at HOST:PORT. It is sent to no other server. @FILE names a file with such ' +
    'lines; only its owner may be able to read it. INTERLEAVE_TOKEN may hold the same value: other users of ' +
    'the machine can see options, but not environment variables.',
} as const satisfies Option;

export const REPEAT = {
  type: 'string',
  value: '30',
  help: 'Repeats a live load this many times, one after the other, and prints statistics like those of many seeds.',
} as const satisfies Option;

/**
 * Returns the token for what this command starts: a server, an emulated path or one end of a shim. The token is that of
 * the option, or that of the environment variable. Undefined if there is none.
 * @throws UsageError
 */
export function liveTokenOf({token}: {readonly token?: string | undefined}): string | undefined {
  return asUsage(() => ownToken(token));
}

/** Returns the tokens for the live servers that a scenario names. @throws UsageError */
export function liveTokensOf({tokens}: {readonly tokens: readonly string[]}): TokenFor {
  return asUsage(() => boundTokens(tokens));
}

/** Returns how many times a live page is loaded. Undefined without `--repeat`. @throws UsageError */
export function repeatsOf({repeat}: Values<{readonly repeat: typeof REPEAT}>): number | undefined {
  if (repeat === undefined) return undefined;
  const repeats = /^\d{1,9}$/.test(repeat) ? Number(repeat) : 0;
  if (repeats < 1 || repeats > MOST_REPEATS)
    throw new UsageError(`--repeat is ${repeat || 'empty'}: must be a whole number from 1 to ${MOST_REPEATS}`);
  return repeats;
}

/** Checks that the user gave a computed load no options of live loads. @throws UsageError */
export function refuseLive({
  tokens,
  repeats,
}: {
  readonly tokens: readonly string[];
  readonly repeats?: number | undefined;
}): void {
  if (tokens.length > 0) throw new UsageError('--token is for live loads: the scenario has no path.live');
  if (repeats !== undefined)
    throw new UsageError('--repeat is for live loads: use --seeds 1-30 to repeat a computed load');
}

/** The maximum value of `--repeat`. It is limited because live loads take real time. */
const MOST_REPEATS = 10_000;
