import {
  describedBy,
  fail,
  INVALID,
  integer,
  isObject,
  list,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  problemText,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {joined} from '../../base/text.ts';
import {dropsText, type PaneDrops} from '../../pipelines/drops.ts';
import type {Pane} from '../../pipelines/index.ts';
import {LOSS_APPLIES} from './lossModel.ts';
import {bothWays} from './path.ts';

/** The largest number of packets that a pane can drop in one direction. */
export const MOST_DROPPED = 1000;

/**
 * The largest packet number in a list. No packet of a load has a larger number, because `RUN_LIMITS` in app/engine ends
 * the load before.
 */
export const LAST_PACKET = 499_999;

const numbers = list(integer(0, LAST_PACKET), 1, MOST_DROPPED);

const distinctNumbers: Parser<readonly number[]> = describedBy(
  () => ({...schemaOf(numbers), uniqueItems: true}),
  (value, path, problems) => {
    const parsed = numbers(value, path, problems);
    if (parsed === INVALID) return INVALID;
    const again = parsed.findIndex((packet, i) => parsed.indexOf(packet) < i);
    if (again >= 0)
      return fail(problems, `${path}[${again}]`, parsed[again], 'a packet that the list does not have yet');
    return [...parsed].sort((a, b) => a - b);
  },
);

const oneWay = object('dropped packets', {
  packets: required(distinctNumbers, {
    about: 'The packets of a direction that only this pane drops, counted from 0 like those of path.loss.packets.',
  }),
  applies: optional(oneOf(LOSS_APPLIES), 'all' as const, {
    about: 'Which packets are counted: all of the direction, or only those with data.',
    default: 'all',
  }),
});

const bothOrOne = orNull(bothWays('drop', oneWay));

/** Parses the packets that only one pane drops. Undefined for null, which means none. */
export const paneDrops: Parser<PaneDrops | undefined> = describedBy(
  () => schemaOf(bothOrOne),
  (value, path, problems) => {
    if (value !== null && !isObject(value)) return fail(problems, path, value, LIMIT);
    const parsed = bothOrOne(value, path, problems);
    if (parsed === INVALID || parsed === null) return parsed ?? undefined;
    const {down, up} = parsed;
    return {...(down === undefined ? {} : {down: written(down)}), ...(up === undefined ? {} : {up: written(up)})};
  },
);

const LIMIT =
  '{"packets": […]}, {"down", "up"} of these, or null; each object may also have "applies": "all" or "data"';

/** Returns the drops as documents contain them: without `applies` if it is `all`, the default. */
function written({packets, applies}: {readonly packets: readonly number[]; readonly applies: 'all' | 'data'}) {
  return {packets, ...(applies === 'data' ? {applies} : {})};
}

/** Whether any pane drops packets of its own (`drop`). The panes then need not have the same losses. */
export function hasOwnDrops({panes}: {readonly panes: readonly Pane[]}): boolean {
  return panes.some(({drop}) => drop !== undefined);
}

/**
 * Says which packets single panes drop: `HTTP/2 also loses data packet 30`. Empty if no pane drops any. `names` are the
 * names of the panes as a sentence uses them.
 */
export function ownDropsText(panes: readonly Pane[], names: readonly string[]): string {
  return joined(panes.flatMap(({drop}, i) => (drop === undefined ? [] : `${names[i]} ${dropsText(drop)}`)));
}

/**
 * Says why no advice can be given for a scenario in which a pane drops packets: advice compares settings that all have
 * the same losses. Undefined if no pane drops packets.
 */
export function ownDropsProblem({panes}: {readonly panes: readonly Pane[]}): string | undefined {
  const pane = panes.findIndex(({drop}) => drop !== undefined);
  if (pane < 0) return undefined;
  return problemText(
    `panes[${pane}].drop`,
    panes[pane]?.drop,
    'absent here, because all settings are compared with the same losses',
  );
}
