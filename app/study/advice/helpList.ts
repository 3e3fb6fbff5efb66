import type {Conversion} from '../../page/conversion.ts';
import {type ConvertedPage, type Page, pictureFiles} from '../../page/page.ts';
import {conversionsOf, type Pane, pipelineOf} from '../../pipelines/index.ts';
import {overPipeline} from '../../run/scenario/pane.ts';
import type {PathSettings} from '../../run/scenario/path.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {browserCandidates, hasBrowserPipeline} from './browsers.ts';
import {type Candidate, changedPane, isSamePane, streamsSetting} from './candidates.ts';

/** One change that might make the load of a pane faster. */
export interface Help {
  readonly name: HelpName;
  readonly of: (pane: Pane, means: Means) => HelpedPane;
}

/** The alternatives that changes can choose from. */
export interface Means {
  /** The best protocol that browsers have. */
  readonly browser: Candidate;
  /** The best setting of streams and scheduler. */
  readonly advised: Candidate;
  /** The conversions in which the page's pictures are available. */
  readonly conversions: readonly Conversion[];
  readonly path: Pick<PathSettings, 'mtuBytes'>;
}

export type HelpName = 'progressive' | 'browser' | 'streams' | 'stack' | 'round-trip';

/** A pane with one change, or the reason why the change does not apply to the pane. */
export type HelpedPane = ChangedSide | {readonly why: string};

interface ChangedSide {
  readonly pane: Pane;
  /** The change in words: `a newer stack`. */
  readonly label: string;
  /** Set if the change is measured, but a site's operator cannot choose it. */
  readonly isNoOption?: true;
}

/** All changes that might make a load faster, in the order in which they are reported. */
export const HELPS: readonly Help[] = [
  {name: 'progressive', of: progressive},
  {name: 'browser', of: browser},
  {name: 'streams', of: streams},
  {name: 'stack', of: newerStack},
  {name: 'round-trip', of: roundTrip},
];

/** Whether browsers support the pane's pipeline. No browser supports SCTP or bare datagrams. */
export function hasBrowser({pane}: {readonly pane: Pane}): boolean {
  return hasBrowserPipeline(pane);
}

/** Changes the pane to progressive pictures: a gateway converts them, so that coarse versions come first (N07 §6). */
function progressive(pane: Pane, {conversions}: Means): HelpedPane {
  if (pane.conversion === 'progressive') return {why: 'its pictures are progressive already'};
  if (!conversions.includes('progressive')) return {why: 'the page has no pictures that can be made progressive'};
  return helped(pane, {conversion: 'progressive'}, 'progressive pictures');
}

/** Changes the pane to the best protocol of browsers. The pane keeps its profile, send buffer and pictures. */
function browser(pane: Pane, {browser: {name, scheduler}, path}: Means): HelpedPane {
  const changed = browserCandidates(pane, path).find(each => each.name === name)?.pane;
  if (changed === undefined || isSamePane(changed, pane)) return {why: 'it has the best protocol of browsers already'};
  const rescheduled = scheduler === null ? undefined : changedPane(pane, {scheduler});
  const isSchedule = rescheduled !== undefined && isSamePane(rescheduled, changed);
  return {pane: changed, label: isSchedule ? `scheduler ${scheduler}` : `${name} instead`};
}

/**
 * Changes the pane to the advised pipeline, streams and scheduler. The pane keeps its profile, send buffer and
 * pictures.
 */
function streams(pane: Pane, {advised: {pane: advised, name, streams, scheduler}}: Means): HelpedPane {
  const settings = {scheduler, ...(streams === null ? {} : streamsSetting(pane, streams))};
  const own = pane.pipeline === advised.pipeline ? pane : overPipeline(pane, advised.pipeline, advised);
  const changed = changedPane(own, settings);
  if (changed === undefined || isSamePane(changed, pane)) return {why: 'it has the advised setting already'};
  const {label} = pipelineOf(advised.pipeline);
  return {pane: changed, label: pane.pipeline === advised.pipeline ? name : `${label} instead, ${name}`};
}

/**
 * Changes the pane to the modern profile, which has a larger initial window and shorter timeouts. Over TCP and QUIC it
 * also has CUBIC.
 */
function newerStack(pane: Pane): HelpedPane {
  const changed = changedPane(pane, {profile: 'modern'});
  if (changed === undefined) return {why: 'it has only one stack here'};
  if (isSamePane(changed, pane)) return {why: 'its stack is the modern one already'};
  return {pane: changed, label: 'a newer stack'};
}

/**
 * Shortens the set-up, if a setting can save a round trip. No setting turns on TCP Fast Open. SCTP sends GETs together
 * with COOKIE ECHO in the profile `modern`, so this is part of the change {@link newerStack}.
 */
function roundTrip(pane: Pane): HelpedPane {
  // the cost of TLS is worth knowing, but leaving TLS out is no option: sites need it, and browsers' HTTP/2 requires it
  if ('tls' in pane && pane.tls) {
    const without = helped(pane, {tls: false}, 'no TLS (the cost of TLS)');
    return 'why' in without ? without : {...without, isNoOption: true};
  }
  if (!('tls' in pane) && 'visit' in pane && pane.visit === 'first') {
    return helped(pane, {visit: 'again'}, 'one round trip less (0-RTT, on a second visit)');
  }
  const setUp = pipelineOf(pane.pipeline).setUp(pane);
  if (setUp === null) return {why: 'it has no set-up'};
  return {why: `no setting shortens its set-up (${setUp.text})`};
}

function helped(pane: Pane, settings: {readonly [key: string]: unknown}, label: string): HelpedPane {
  const changed = changedPane(pane, settings);
  return changed === undefined ? {why: 'it has no such setting'} : {pane: changed, label};
}

/**
 * The scenario with which a page must be opened so that its pictures are available in every pane's conversion, and as
 * progressive pictures. The scenario is unchanged for a page without pictures.
 */
export function widened(scenario: Scenario, page: Page): Scenario {
  const [first] = scenario.panes;
  if (first === undefined || pictureFiles(page) === 0) return scenario;
  const as = (conversion: Conversion): Pane => ({...first, conversion});
  return {...scenario, panes: conversionsOf([...scenario.panes, as('progressive')]).map(as)};
}

/** The conversions that changed at least one picture of the page; no other conversion can help. */
export function usefulConversions({converted = []}: ConvertedPage): readonly Conversion[] {
  return converted.filter(({objects}) => objects.some(object => object !== null)).map(({conversion}) => conversion);
}
