import {boundTokens, ownToken, type TokenFor} from '../live/base/liveToken.ts';
import {UsageError} from './usageError.ts';

/** A server's own, or its environment's; undefined without one. @throws UsageError */
export function liveTokenOf({token}: {readonly token?: string | undefined}): string | undefined {
  return asUsage(() => ownToken(token));
}

/** Of servers that a scenario names. @throws UsageError */
export function liveTokensOf({tokens}: {readonly tokens: readonly string[]}): TokenFor {
  return asUsage(() => boundTokens(tokens));
}

function asUsage<T>(choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

/** How often a live page is loaded; undefined where nobody says. @throws UsageError */
export function repeatsOf({repeat}: {readonly repeat?: string | undefined}): number | undefined {
  if (repeat === undefined) return undefined;
  const repeats = /^\d{1,9}$/.test(repeat) ? Number(repeat) : 0;
  if (repeats < 1 || repeats > MOST_REPEATS)
    throw new UsageError(`--repeat is ${repeat}: must be a whole number from 1 to ${MOST_REPEATS}`);
  return repeats;
}

/** @throws UsageError where there is something that only a live load has */
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

/** They take real time. */
const MOST_REPEATS = 10_000;
