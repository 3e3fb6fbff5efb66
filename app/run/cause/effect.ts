import {countText, joined} from '../../base/text.ts';
import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {isPicture, objectName, secondsText} from '../trace/traceTexts.ts';
import {type Cause, causeOf, type DataCargo, endOfEffectNs} from './cause.ts';
import {waitingObjects} from './causeSentence.ts';

/** What the loss of a packet with data did to the page. Times are in ns since the start of the run. */
export interface Effect {
  readonly packet: number;
  readonly from: Cause['from'];
  readonly lostNs: number;
  /** The time when the packet's data arrived, or when the run ended without it. */
  readonly endNs: number;
  /** Objects that stopped growing because of the loss. Those with lost data come first. */
  readonly stopped: readonly Stopped[];
  /**
   * The time before `endNs` in which no object of the page grew, in ns. Null if an object grew that is not in
   * `stopped`, or if a request was lost.
   */
  readonly pageStillNs: number | null;
  /** Number of objects that grew meanwhile and are not in `stopped`. */
  readonly othersThatGrew: number;
}

interface Stopped {
  readonly object: number;
  readonly fromNs: number;
  readonly toNs: number;
  /** Whether data of this object, or the request for it, was lost. Otherwise, what had arrived of it had to wait. */
  readonly isOwn: boolean;
}

/** Returns the effects of all lost packets that had an effect on the page, in the order of the losses. */
export const effectsOf = cachedByTrace((trace: Trace): readonly Effect[] =>
  trace
    .droppedPackets()
    .flatMap(packet => effectOf(trace, causeOf(trace, packet)) ?? [])
    .sort((a, b) => a.lostNs - b.lostNs),
);

function effectOf(trace: Trace, cause: Cause | undefined): Effect | undefined {
  if (cause?.cargo.kind !== 'data' || cause.cargo.isNeedless) return undefined;
  const {cargo, packet, from, lostNs} = cause;
  const endNs = endOfEffectNs(cause, trace);
  const isOfServer = from === 'server';
  return {
    packet,
    from,
    lostNs,
    endNs,
    stopped: [...ownObjects(cargo, lostNs, endNs), ...otherObjects(cargo)],
    pageStillNs: isOfServer && cargo.othersThatGrew.length === 0 ? endNs - cargo.pageStillFromNs : null,
    othersThatGrew: cargo.othersThatGrew.length,
  };
}

/**
 * Returns the objects with lost data. If an object was partly received, its stop begins when it last grew, but not
 * before the loss. Otherwise, the stop begins at the loss.
 */
function ownObjects({parts, still}: DataCargo, lostNs: number, toNs: number): readonly Stopped[] {
  return parts.map(({object}) => {
    const fromNs = still.find(each => each.object === object)?.fromNs ?? lostNs;
    return {object, fromNs, toNs, isOwn: true};
  });
}

function otherObjects(cargo: DataCargo): readonly Stopped[] {
  return waitingObjects(cargo).map(object => {
    const own = cargo.waited.filter(each => each.object === object);
    const fromNs = Math.min(...own.map(({startNs}) => startNs));
    return {object, fromNs, toNs: Math.max(...own.map(({endNs}) => endNs)), isOwn: false};
  });
}

/**
 * Describes an effect in two short lines: `the whole page stood still for 0.43 s` and `8 other pictures had arrived and
 * waited`, or `lake.jpg stood still for 0.74 s` and `9 others went on`.
 */
export function effectWords(trace: Trace, effect: Effect): readonly [what: string, more: string] {
  const {from, stopped, pageStillNs, othersThatGrew} = effect;
  const others = stopped.filter(({isOwn}) => !isOwn);
  if (from === 'browser') {
    const own = stopped.filter(({isOwn}) => isOwn);
    return [
      `${own.length === 1 ? 'a request' : `${own.length} requests`} late by ${longestText(own)}`,
      others.length === 0 ? '' : `${others.length} more waited at the server`,
    ];
  }
  const what =
    pageStillNs === null
      ? `${countedText(trace, stopped)} stood still for ${longestText(stopped)}`
      : `the whole page stood still for ${secondsText(pageStillNs)}`;
  const waited = others.length === 0 ? [] : [`${countedText(trace, others, 'other')} had arrived and waited`];
  const on = othersThatGrew === 0 ? [] : [`${othersThatGrew} ${othersThatGrew === 1 ? 'other' : 'others'} went on`];
  const more = [...waited, ...on].join('; ');
  return [what, more === '' ? 'nothing else had arrived' : more];
}

/** Describes an effect like {@link effectWords}, but shorter: `page still 0.43 s`, `lake.jpg still 0.74 s`. */
export function effectInShort(trace: Trace, {stopped, pageStillNs}: Effect): string {
  if (pageStillNs !== null) return `page still ${secondsText(pageStillNs)}`;
  return `${countedText(trace, stopped)} still ${longestText(stopped)}`;
}

/** Returns only how long an effect lasted, for places with little room: `0.74 s`. */
export function effectTime({stopped, pageStillNs}: Effect): string {
  return pageStillNs === null ? longestText(stopped) : secondsText(pageStillNs);
}

/**
 * Names a single object, or counts objects: `lake.jpg`, `3 pictures`, `2 other objects`. With `other`, the objects are
 * always counted.
 */
function countedText(trace: Trace, objects: readonly Stopped[], other = ''): string {
  const [first] = objects;
  if (objects.length === 1 && other === '') return objectName(trace, first?.object ?? 0);
  const noun = objects.every(({object}) => isPicture(trace.objects[object]?.url ?? '')) ? 'picture' : 'object';
  return `${objects.length} ${other === '' ? '' : `${other} `}${noun}${objects.length === 1 ? '' : 's'}`;
}

function longestText(objects: readonly Stopped[]): string {
  return secondsText(Math.max(0, ...objects.map(({fromNs, toNs}) => toNs - fromNs)));
}

/**
 * Compares the panes of a run: `One lost packet: the whole page stood still on TCP and HTTP/2; one picture on SCTP, two
 * pictures on HTTP/3.` The run must have several panes. Each pane must have exactly one loss with an effect, and the
 * server must have sent the lost packet. Otherwise, the text is empty.
 */
export function oneLossSentence(traces: readonly Trace[], names: readonly string[]): string {
  const effects = traces.map(effectsOf);
  const isOne = effects.every(each => each.length === 1 && each[0]?.from === 'server');
  if (traces.length < 2 || !isOne) return '';
  const groups = new Map<number, string[]>();
  for (const [i, [effect]] of effects.entries()) {
    const count = stoppedCount(effect);
    groups.set(count, [...(groups.get(count) ?? []), names[i] ?? '']);
  }
  const stopped = effects.flatMap(([effect], i) =>
    (effect?.stopped ?? []).map(({object}) => traces[i]?.objects[object]),
  );
  const noun = stopped.every(object => isPicture(object?.url ?? '')) ? 'picture' : 'object';
  const inOrder = [...groups].sort(([a], [b]) => b - a);
  const [first, ...others] = inOrder.map(([count, who], i) => `${stoppedText(count, noun, i)} on ${joined(who)}`);
  if (others.length === 0) return `One lost packet: ${first}.`;
  return `One lost packet: ${first}; ${others.reverse().join(', ')}.`;
}

/** Returns the number of objects that stopped. Infinity if the whole page stopped. */
function stoppedCount(effect: Effect | undefined): number {
  if (effect === undefined) return 0;
  return effect.pageStillNs === null ? effect.stopped.length : Number.POSITIVE_INFINITY;
}

function stoppedText(count: number, noun: string, place: number): string {
  if (count === Number.POSITIVE_INFINITY) return 'the whole page stood still';
  const counted = `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
  return place === 0 ? `${counted} stood still` : counted;
}
