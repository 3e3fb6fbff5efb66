import type {AboutPage} from '../../../app/host/contract.ts';

/** How many of all of them there are. */
export function leftOutCount({notLoaded, leftOut}: AboutPage): number {
  return notLoaded.reduce((sum, text) => sum + (Number.parseInt(text, 10) || 1), leftOut.length);
}

/** `3 scripts, 2 videos, 1 object`: what of a page is not loaded; empty if all is. */
export function leftOutText({notLoaded, leftOut}: AboutPage): string {
  const {length} = leftOut;
  const objects = length === 0 ? [] : [length === 1 ? '1 object' : `${length} objects`];
  return [...notLoaded, ...objects].join(', ');
}
