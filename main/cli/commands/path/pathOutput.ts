import {describePath} from '../../../../app/run/scenario/describe.ts';
import type {RunningPath} from '../../../../app/run/scenario/runningPath.ts';

// What `interleave path` prints, with and without a namespace.

/** How a running path prints, and the signal that ends the path. */
export interface PathOutput {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Returns a text that describes the path after a change. */
export function changeText({path, handOvers}: RunningPath): string {
  const after = handOvers === 0 ? '' : `, after ${handOvers === 1 ? 'a hand-over' : `${handOvers} hand-overs`}`;
  return `From now on${after}: ${describePath(path)}`;
}

/** Returns lines that say how many packets passed, and how many were lost, dropped or refused. */
export function countsText({counts: {down, up}, path: {traffic: items = []}, traffic, refused}: RunningPath): string {
  const ways = Object.entries({down, up}).map(
    ([way, {passed, lost, queueFull, early, policed, copied, marked, tooLarge, handedOver}]) => {
      const seldom = [
        [early, 'were dropped to signal congestion'],
        [policed, 'were dropped by the policer'],
        [marked, 'were marked to signal congestion'],
        [copied, 'were delivered twice'],
        [handedOver, 'were lost by hand-overs'],
      ] as const;
      const more = seldom.flatMap(([count, what]) => (count > 0 ? [`, ${count} ${what}`] : []));
      return (
        `${way.padEnd(4)}  ${passed} packets passed, ${lost} were lost, ${queueFull} were dropped by the full queue, ` +
        `${tooLarge} were larger than the MTU${more.join('')}\n`
      );
    },
  );
  const others = items.map((item, index) => {
    const {passed = 0, passedBytes = 0, dropped = 0} = traffic[index] ?? {};
    return `other traffic, ${item.kind} ${item.direction}: ${passed} packets passed (${passedBytes} bytes), ${dropped} were dropped\n`;
  });
  const ofMachines = refused === 0 ? '' : `${refused} packets were refused by this machine or by that of the server\n`;
  return `${ways.join('')}${others.join('')}${ofMachines}`;
}
