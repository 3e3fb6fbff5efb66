import type {AboutPage} from '../../../app/host/contract.ts';

/** The number of all things that are left out. */
export function leftOutCount({notLoaded, leftOut}: AboutPage): number {
  return notLoaded.reduce((sum, text) => sum + (Number.parseInt(text, 10) || 1), leftOut.length);
}

/** What is left out of a page, as in `3 scripts, 2 videos, 1 object`; empty if nothing is. */
export function leftOutText({notLoaded, leftOut}: AboutPage): string {
  const {length} = leftOut;
  const objects = length === 0 ? [] : [length === 1 ? '1 object' : `${length} objects`];
  return [...notLoaded, ...objects].join(', ');
}
