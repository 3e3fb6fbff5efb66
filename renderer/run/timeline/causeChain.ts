import type {Cause} from '../../../app/run/cause/cause.ts';
import {noticedWord, waitingObjects} from '../../../app/run/cause/causeSentence.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';

/** The effect of a loss as a chain of times, which are drawn as arrows. Times are ns since the run's start. */
export interface Chain {
  readonly lostNs: number;
  /** The moments that are marked with a word, in order of time. */
  readonly moments: readonly Moment[];
  /**
   * The retransmissions, each from its sending to its arrival. A retransmission that was lost has no arrival, so it
   * ends at its sending. If a chain is shown up to t, and its last retransmission by then was lost, that one ends at t.
   */
  readonly sendings: readonly {
    readonly fromNs: number;
    readonly toNs: number;
    readonly isLost: boolean;
  }[];
  /**
   * The waits of objects, longest first. If there are objects that waited but lost no data of their own, only the waits
   * of these objects are listed.
   */
  readonly waits: readonly Wait[];
  /** The time of the last event, or t if the chain is shown up to t and continues after it. */
  readonly endNs: number;
  /** If false, the chain continues after {@link endNs}. */
  readonly isOver: boolean;
}

interface Moment {
  readonly atNs: number;
  readonly text: string;
  readonly kind: 'lost' | 'noticed' | 'end';
}

interface Wait {
  readonly object: number;
  readonly fromNs: number;
  readonly toNs: number;
  /** If false, the object is still waiting at {@link toNs}. */
  readonly isOver: boolean;
}

export function chainOf(trace: Trace, cause: Cause): Chain {
  const {lostNs, cargo} = cause;
  const lost: Moment = {atNs: lostNs, text: 'lost', kind: 'lost'};
  const only = {lostNs, moments: [lost], sendings: [], waits: [], endNs: lostNs, isOver: true};
  if (cargo.kind === 'set-up') {
    const {againNs} = cargo;
    if (againNs === null) return only;
    const again: Moment = {atNs: againNs, text: 'timer', kind: 'noticed'};
    return {...only, moments: [lost, again], endNs: againNs};
  }
  if (cargo.kind === 'acknowledgement') {
    const {coveredNs} = cargo;
    if (coveredNs === null) return only;
    return {...only, moments: [lost, {atNs: coveredNs, text: 'covered', kind: 'end'}], endNs: coveredNs};
  }
  if (cargo.kind === 'control' || cargo.isNeedless) return only;
  const endNs = cargo.arrivedNs ?? trace.data.endNs;
  const noticed = cargo.sendings.flatMap(({noticed: how}): readonly Moment[] => {
    return how === null ? [] : [{atNs: how.atNs, text: noticedWord(trace, how), kind: 'noticed'}];
  });
  const waits = waitsOf(cargo.waited);
  const others = waitingObjects(cargo);
  const isOther = ({object}: Wait): boolean => others.includes(object);
  const end: Moment = {atNs: endNs, text: cargo.arrivedNs === null ? 'never repaired' : 'there', kind: 'end'};
  return {
    lostNs,
    moments: [lost, ...noticed, end],
    sendings: cargo.sendings.map(({sentNs, arrivedNs, isLost}) => ({
      fromNs: sentNs,
      isLost,
      toNs: isLost ? sentNs : Math.min(arrivedNs ?? endNs, endNs),
    })),
    waits: waits.some(isOther) ? waits.filter(isOther) : waits,
    endNs,
    isOver: true,
  };
}

/** The part of a chain that has happened by t (ns). Null before the loss. */
export function chainUntil(chain: Chain, tNs: number): Chain | null {
  // a chosen loss sets t to the last ns before the end of its effect, and the complete effect is to be shown then
  const untilNs = tNs + 1;
  const {lostNs, moments, sendings, waits, endNs} = chain;
  if (lostNs > untilNs) return null;
  if (endNs <= untilNs) return chain;
  const sent = sendings.filter(({fromNs}) => fromNs <= untilNs);
  return {
    lostNs,
    moments: moments.filter(({atNs}) => atNs <= untilNs),
    sendings: sent.map((sending, i) => {
      // this retransmission was also lost, and the next retransmission is not known yet
      const isMissing = sending.isLost && i === sent.length - 1;
      return {...sending, toNs: isMissing ? untilNs : Math.min(sending.toNs, untilNs)};
    }),
    waits: waits
      .filter(({fromNs}) => fromNs <= untilNs)
      .map(wait => (wait.toNs <= untilNs ? wait : {...wait, toNs: untilNs, isOver: false})),
    endNs: untilNs,
    isOver: false,
  };
}

/** Joins the intervals of each object into one interval, from the first start to the last end. */
function waitsOf(
  waited: readonly {readonly object: number; readonly startNs: number; readonly endNs: number}[],
): readonly Wait[] {
  const waits = new Map<number, Wait>();
  for (const {object, startNs, endNs} of waited) {
    const {fromNs = startNs, toNs = endNs} = waits.get(object) ?? {};
    waits.set(object, {
      object,
      fromNs: Math.min(fromNs, startNs),
      toNs: Math.max(toNs, endNs),
      isOver: true,
    });
  }
  return [...waits.values()].sort((a, b) => b.toNs - b.fromNs - (a.toNs - a.fromNs) || a.object - b.object);
}
