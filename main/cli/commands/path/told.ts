import type {RunningPath} from '../../../../app/run/scenario/runningPath.ts';

// What both kinds of path print.

/** Where a running path prints to, and the signal that ends it. */
export interface PathOutput {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Lines that say how many packets passed, and how many were lost, dropped or refused. */
export function countsText({counts: {down, up}, refused}: RunningPath): string {
  const ways = Object.entries({down, up}).map(
    ([way, {passed, lost, queueFull, tooLarge}]) =>
      `${way.padEnd(4)}  ${passed} packets passed, ${lost} were lost, ${queueFull} found the queue full, ${tooLarge} were larger than the MTU\n`,
  );
  return `${ways.join('')}${refused === 0 ? '' : `${refused} were not taken by this machine or the server's\n`}`;
}

/** The note on a scenario whose path would change during the load. */
export const WITHOUT_CHANGES = "the scenario's changes are left out: PATCH /path changes this path";
