import type {AboutPage} from '../../../app/host/contract.ts';

/** How many things are left out in total. */
export function leftOutCount({notLoaded, leftOut}: AboutPage): number {
  return notLoaded.reduce((sum, text) => sum + (Number.parseInt(text, 10) || 1), leftOut.length);
}

/** What is left out of a page, for example `3 scripts, 2 videos, 1 object`. Empty if nothing is left out. */
export function leftOutText({notLoaded, leftOut}: AboutPage): string {
  const {length} = leftOut;
  const objects = length === 0 ? [] : [length === 1 ? '1 object' : `${length} objects`];
  return [...notLoaded, ...objects].join(', ');
}
