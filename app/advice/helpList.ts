import type {Conversion} from '../page/conversion.ts';
import {type Pane, pipelineOf} from '../pipelines/index.ts';
import {streamsText} from '../pipelines/words.ts';
import {overPipeline} from '../scenario/pane.ts';
import {type Candidate, changedPane, streamsSetting} from './candidates.ts';

/** One thing that a side could have other than it has. */
export interface Help {
  readonly name: HelpName;
  readonly of: (pane: Pane, means: Means) => HelpedPane;
}

/** What there is to help with. */
export interface Means {
  /** The best setting of streams and scheduler. */
  readonly advised: Candidate;
  /** What the page is there as, beside as it is served. */
  readonly conversions: readonly Conversion[];
}

export type HelpName = 'progressive' | 'streams' | 'stack' | 'round-trip';

/** The side with that alone changed, or why there is no such side. */
export type HelpedPane =
  | {readonly pane: Pane /** As a choice: `a newer TCP`. */; readonly label: string}
  | {readonly why: string};

/** What could help a side, in the order in which it is told. */
export const HELPS: readonly Help[] = [
  {name: 'progressive', of: progressive},
  {name: 'streams', of: streams},
  {name: 'stack', of: newerStack},
  {name: 'round-trip', of: roundTrip},
];

/** N07 §6: the gateway converts what cannot be shown before it is complete. */
function progressive(pane: Pane, {conversions}: Means): HelpedPane {
  if (pane.conversion === 'progressive') return {why: 'its pictures are made progressive already'};
  if (!conversions.includes('progressive')) return {why: 'the page has no pictures that can be made so'};
  return helped(pane, {conversion: 'progressive'}, 'progressive pictures');
}

/** A side without streams has them over the advised side's pipeline, with its own profile, buffer and pictures. */
function streams(pane: Pane, means: Means): HelpedPane {
  const {pane: advised, streams, scheduler} = means.advised;
  const settings = {scheduler, ...(streams === null ? {} : streamsSetting(pane, streams))};
  const own = pane.pipeline === advised.pipeline ? pane : overPipeline(pane, advised.pipeline, advised);
  const changed = changedPane(own, settings);
  if (changed === undefined || textOf(changed) === textOf(pane)) return {why: 'it is set as advised'};
  const words = [...(streams === null ? [] : [streamsText(streams)]), scheduler].join(', ');
  const {label} = pipelineOf(advised.pipeline);
  return {pane: changed, label: pane.pipeline === advised.pipeline ? words : `${label} instead, ${words}`};
}

/** Stacks have a modern profile: a larger first window, shorter time-outs, CUBIC. */
function newerStack(pane: Pane): HelpedPane {
  const changed = changedPane(pane, {profile: 'modern'});
  if (changed === undefined) return {why: 'it has one stack here'};
  if (textOf(changed) === textOf(pane)) return {why: 'its stack is the modern one'};
  return {pane: changed, label: 'a newer stack'};
}

/** Of the set-up, where the settings have one to spare: TCP Fast Open and a GET beside COOKIE ECHO are none of them. */
function roundTrip(pane: Pane): HelpedPane {
  if ('tls' in pane && pane.tls) return helped(pane, {tls: false}, 'a round trip less: no TLS');
  if ('zeroRtt' in pane && !pane.zeroRtt) return helped(pane, {zeroRtt: true}, 'a round trip less: 0-RTT');
  const setUp = pipelineOf(pane.pipeline).setUp(pane);
  if (setUp === null) return {why: 'it has no set-up'};
  return {why: `no setting shortens its set-up (${setUp.text})`};
}

function helped(pane: Pane, settings: {readonly [key: string]: unknown}, label: string): HelpedPane {
  const changed = changedPane(pane, settings);
  return changed === undefined ? {why: 'it cannot be set so'} : {pane: changed, label};
}

function textOf(pane: Pane): string {
  return JSON.stringify(pane);
}
