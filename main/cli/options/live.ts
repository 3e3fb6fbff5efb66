import {boundTokens, ownToken, type TokenFor} from '../../live/base/liveToken.ts';
import type {Option, Values} from './option.ts';
import {asUsage, UsageError} from './usageError.ts';

/** For commands that load live. */
export const LIVE_TOKEN = {
  type: 'string',
  multiple: true,
  value: 'HOST:PORT=T',
  help:
    'The token that this live server asks for; no other server is told it. @FILE names a file of such lines that only ' +
    'its owner can read. INTERLEAVE_TOKEN may hold it instead, which no other user of the machine sees.',
} as const satisfies Option;

export const REPEAT = {
  type: 'string',
  value: '30',
  help: 'Repeats a live load that many times, one after the other, with the statistics of as many seeds.',
} as const satisfies Option;

/**
 * A server's own token: the given one, or that of the environment variable. Undefined if there is none. @throws
 * UsageError
 */
export function liveTokenOf({token}: {readonly token?: string | undefined}): string | undefined {
  return asUsage(() => ownToken(token));
}

/** The tokens of servers that a scenario names. @throws UsageError */
export function liveTokensOf({tokens}: {readonly tokens: readonly string[]}): TokenFor {
  return asUsage(() => boundTokens(tokens));
}

/** How many times a live page is loaded; undefined without `--repeat`. @throws UsageError */
export function repeatsOf({repeat}: Values<{readonly repeat: typeof REPEAT}>): number | undefined {
  if (repeat === undefined) return undefined;
  const repeats = /^\d{1,9}$/.test(repeat) ? Number(repeat) : 0;
  if (repeats < 1 || repeats > MOST_REPEATS)
    throw new UsageError(`--repeat is ${repeat}: must be a whole number from 1 to ${MOST_REPEATS}`);
  return repeats;
}

/** Checks that a computed load has no options of live loads. @throws UsageError */
export function refuseLive({
  tokens,
  repeats,
}: {
  readonly tokens: readonly string[];
  readonly repeats?: number | undefined;
}): void {
  if (tokens.length > 0) throw new UsageError('--token counts with path.live only');
  if (repeats !== undefined)
    throw new UsageError('--repeat counts with path.live only: --seeds 1-30 repeats a computed load');
}

/** Most loads of a live page, because live loads need real time. */
const MOST_REPEATS = 10_000;
