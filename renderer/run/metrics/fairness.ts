import {titleNames} from '../../../app/pipelines/paneLabels.ts';
import {describePath, describeSeed, shortPathText} from '../../../app/run/scenario/describe.ts';
import {hasOwnDrops, ownDropsText} from '../../../app/run/scenario/paneDrops.ts';
import {pathLosses} from '../../../app/run/scenario/pathLosses.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';

/**
 * The seed, and how it was found. With several panes, the text also says what the seed makes equal on every side, which
 * means in every pane: the fate of the packets with the same number. The sides can still lose different data, because
 * they send different packets.
 */
export function seedText(scenario: Scenario): string {
  const seed = describeSeed(scenario);
  const {panes} = scenario;
  if (panes.length < 2) return seed;
  const own = hasOwnDrops(scenario) ? `; but ${ownDropsText(panes, titleNames(panes))}` : '';
  return `${seed}: ${FATES[appliesOf(scenario)]}${own}`;
}

/**
 * One line with the seed, the path, and what is equal on every side and what is not: `seed 7, one run: same page and
 * path (1 Mbit/s, RTT 350 ms, loss 3 %); packet k is lost on every side or on none`. If single sides drop packets, the
 * line names these packets. `unequal` names what else differs besides the pipelines.
 */
export function fairnessText(scenario: Scenario, unequal: readonly string[]): string {
  const {path, changes, panes} = scenario;
  const seed = describeSeed(scenario);
  const pathText = `${shortPathText(path)}${changes.length > 0 ? ' at first' : ''}`;
  if (panes.length < 2) return [`${seed}: ${pathText}`, ...ownTexts(scenario, ['this side'])].join('; ');
  const losses = lossesTexts(scenario);
  const same = path.atOnce ? SHARED : SAME;
  return `${seed}: ${[`${same} (${pathText})`, ...losses, ...unequal.map(what => `not the same ${what}`)].join('; ')}`;
}

/** What the line says about losses. If single sides drop packets, the sides do not lose the same packets. */
function lossesTexts(scenario: Scenario): readonly string[] {
  const {panes} = scenario;
  const own = ownTexts(scenario, titleNames(panes)).map(text => `not the same losses: ${text}`);
  if (pathLosses(scenario).length === 0) return own;
  const shared = `${LOST[appliesOf(scenario)]} is lost on every side or on none`;
  return [own.length === 0 ? shared : `losses of the path: ${shared}`, ...own];
}

/** The packets that single sides drop; empty if no side drops any. */
function ownTexts(scenario: Scenario, names: readonly string[]): readonly string[] {
  return hasOwnDrops(scenario) ? [ownDropsText(scenario.panes, names)] : [];
}

/** The path of a live load, and whether its panes loaded at the same time. */
export function liveLoadText({path, panes}: Scenario): string {
  const text = describePath(path);
  if (panes.length < 2) return text;
  return `${text}, ${path.atOnce ? 'all at once: panes share the bandwidth' : 'one pane after the other'}`;
}

/**
 * Whether losses of the path and of its changes apply to all packets or only to those with data; `mixed` if some losses
 * apply to all packets and others only to those with data.
 */
function appliesOf(scenario: Scenario): keyof typeof FATES {
  const applies = new Set(pathLosses(scenario).map(loss => loss.applies));
  const [first = 'all'] = applies;
  return applies.size > 1 ? 'mixed' : first;
}

const SAME = 'same page and path';
const SHARED = 'same page, at the same time on one path';

const LOST = {all: 'packet k', data: 'the k-th packet with data', mixed: 'the k-th packet'} as const;

const FATES = {
  all: 'packet k of a direction draws the same fate on every side, whatever it carries',
  data: 'the k-th packet with data of a direction draws the same fate on every side, and no other packet is lost',
  mixed:
    'packet k of a direction draws the same fate on every side; k counts all packets, but only packets with data ' +
    'where loss applies to data',
} as const;

/**
 * How much of the page arrived in the whole run: one number if it is equal on all sides, otherwise one for each side.
 */
export function deliveredText(traces: readonly Trace[]): string {
  const bytes = traces.map(trace => trace.totalBytesAt(trace.data.endNs));
  const [first = 0, ...others] = bytes;
  if (others.length === 0) return `${kilobytes(first)} KB delivered`;
  const isSame = first > 0 && others.every(each => each === first);
  if (isSame) return `the same ${kilobytes(first)} KB on every side`;
  return `${bytes.map(kilobytes).join(' / ')} KB delivered`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
