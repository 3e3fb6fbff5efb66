import type {Conversion} from '../../page/conversion.ts';
import {type ConvertedPage, type Page, pictureFiles} from '../../page/page.ts';
import {conversionsOf, type Pane, pipelineOf} from '../../pipelines/index.ts';
import {overPipeline} from '../../run/scenario/pane.ts';
import type {PathSettings} from '../../run/scenario/path.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {browserCandidates, isOfBrowsers} from './browsers.ts';
import {type Candidate, changedPane, isSamePane, streamsSetting} from './candidates.ts';

/** One thing that a side could have other than it has. */
export interface Help {
  readonly name: HelpName;
  readonly of: (pane: Pane, means: Means) => HelpedPane;
}

/** What there is to help with. */
export interface Means {
  /** The best of what browsers have. */
  readonly browser: Candidate;
  /** The best setting of streams and scheduler. */
  readonly advised: Candidate;
  /** What the page is there as, beside as it is served. */
  readonly conversions: readonly Conversion[];
  readonly path: Pick<PathSettings, 'mtuBytes'>;
}

export type HelpName = 'progressive' | 'browser' | 'streams' | 'stack' | 'round-trip';

/** The side with that alone changed, or why there is no such side. */
export type HelpedPane = ChangedSide | {readonly why: string};

interface ChangedSide {
  readonly pane: Pane;
  /** As a choice: `a newer TCP`. */
  readonly label: string;
  /** It is measured, but nothing that somebody who has a site could choose. */
  readonly isNoOption?: true;
}

/** What could help a side, in the order in which it is told. */
export const HELPS: readonly Help[] = [
  {name: 'progressive', of: progressive},
  {name: 'browser', of: browser},
  {name: 'streams', of: streams},
  {name: 'stack', of: newerStack},
  {name: 'round-trip', of: roundTrip},
];

/** Whether a browser could load so: SCTP's streams and datagrams it has not, whatever is set of them. */
export function hasBrowser({pane}: {readonly pane: Pane}): boolean {
  return isOfBrowsers(pane);
}

/** N07 §6: the gateway converts what cannot be shown before it is complete. */
function progressive(pane: Pane, {conversions}: Means): HelpedPane {
  if (pane.conversion === 'progressive') return {why: 'its pictures are made progressive already'};
  if (!conversions.includes('progressive')) return {why: 'the page has no pictures that can be made so'};
  return helped(pane, {conversion: 'progressive'}, 'progressive pictures');
}

/** A side over the best of what browsers have, with its own profile, buffer and pictures. */
function browser(pane: Pane, {browser: {name, scheduler}, path}: Means): HelpedPane {
  const changed = browserCandidates(pane, path).find(each => each.name === name)?.pane;
  if (changed === undefined || isSamePane(changed, pane)) return {why: 'it is the best that browsers have'};
  const rescheduled = scheduler === null ? undefined : changedPane(pane, {scheduler});
  const isSchedule = rescheduled !== undefined && isSamePane(rescheduled, changed);
  return {pane: changed, label: isSchedule ? `scheduler ${scheduler}` : `${name} instead`};
}

/** A side without streams has them over the advised side's pipeline, with its own profile, buffer and pictures. */
function streams(pane: Pane, {advised: {pane: advised, name, streams, scheduler}}: Means): HelpedPane {
  const settings = {scheduler, ...(streams === null ? {} : streamsSetting(pane, streams))};
  const own = pane.pipeline === advised.pipeline ? pane : overPipeline(pane, advised.pipeline, advised);
  const changed = changedPane(own, settings);
  if (changed === undefined || isSamePane(changed, pane)) return {why: 'it is set as advised'};
  const {label} = pipelineOf(advised.pipeline);
  return {pane: changed, label: pane.pipeline === advised.pipeline ? name : `${label} instead, ${name}`};
}

/** Stacks have a modern profile: a larger first window, shorter time-outs, CUBIC. */
function newerStack(pane: Pane): HelpedPane {
  const changed = changedPane(pane, {profile: 'modern'});
  if (changed === undefined) return {why: 'it has one stack here'};
  if (isSamePane(changed, pane)) return {why: 'its stack is the modern one'};
  return {pane: changed, label: 'a newer stack'};
}

/** Of the set-up, where the settings have one to spare: TCP Fast Open and a GET beside COOKIE ECHO are none of them. */
function roundTrip(pane: Pane): HelpedPane {
  // what TLS costs is worth knowing, but nobody can leave it out: no browser has HTTP/2 without
  if ('tls' in pane && pane.tls) {
    const without = helped(pane, {tls: false}, 'what TLS costs: no TLS');
    return 'why' in without ? without : {...without, isNoOption: true};
  }
  if ('zeroRtt' in pane && !pane.zeroRtt) {
    return helped(pane, {zeroRtt: true}, 'a round trip less: 0-RTT, on a second visit');
  }
  const setUp = pipelineOf(pane.pipeline).setUp(pane);
  if (setUp === null) return {why: 'it has no set-up'};
  return {why: `no setting shortens its set-up (${setUp.text})`};
}

function helped(pane: Pane, settings: {readonly [key: string]: unknown}, label: string): HelpedPane {
  const changed = changedPane(pane, settings);
  return changed === undefined ? {why: 'it cannot be set so'} : {pane: changed, label};
}

/** The scenario to open a page by that is there as each side has it, and progressive too; itself for one without pictures. */
export function widened(scenario: Scenario, page: Page): Scenario {
  const [first] = scenario.panes;
  if (first === undefined || pictureFiles(page) === 0) return scenario;
  const as = (conversion: Conversion): Pane => ({...first, conversion});
  return {...scenario, panes: conversionsOf([...scenario.panes, as('progressive')]).map(as)};
}

/** What has changed at least one of its pictures: no other can help. */
export function usefulConversions({converted = []}: ConvertedPage): readonly Conversion[] {
  return converted.filter(({objects}) => objects.some(object => object !== null)).map(({conversion}) => conversion);
}
