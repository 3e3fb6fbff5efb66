import {liveToken} from '../live/liveToken.ts';
import {UsageError} from './usageError.ts';

/** What a live server asks for, or its environment's; undefined without one. @throws UsageError */
export function liveTokenOf({token}: {readonly token?: string | undefined}): string | undefined {
  try {
    return liveToken(token);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

/** @throws UsageError where there is one, and nobody to have it */
export function refuseToken({token}: {readonly token: string | undefined}): void {
  if (token !== undefined) throw new UsageError('--token counts with path.live only');
}
