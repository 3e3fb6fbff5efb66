import type {RunningPath} from '../../../../app/run/scenario/runningPath.ts';

// What `interleave path` prints, with and without a namespace.

/** How a running path prints, and the signal that ends the path. */
export interface PathOutput {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Returns lines that say how many packets passed, and how many were lost, dropped or refused. */
export function countsText({counts: {down, up}, refused}: RunningPath): string {
  const ways = Object.entries({down, up}).map(
    ([way, {passed, lost, queueFull, early, policed, copied, marked, tooLarge}]) => {
      const seldom = [
        [early, 'were dropped to signal congestion'],
        [policed, 'were dropped by the policer'],
        [marked, 'were marked to signal congestion'],
        [copied, 'were delivered twice'],
      ] as const;
      const more = seldom.flatMap(([count, what]) => (count > 0 ? [`, ${count} ${what}`] : []));
      return (
        `${way.padEnd(4)}  ${passed} packets passed, ${lost} were lost, ${queueFull} were dropped by the full queue, ` +
        `${tooLarge} were larger than the MTU${more.join('')}\n`
      );
    },
  );
  const ofMachines = refused === 0 ? '' : `${refused} packets were refused by this machine or by that of the server\n`;
  return `${ways.join('')}${ofMachines}`;
}

/** The note that is printed for a scenario whose path would change during the load. */
export const WITHOUT_CHANGES = "the scenario's changes are ignored: use PATCH /path to change this path";
