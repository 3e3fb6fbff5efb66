import type {Trace} from '../trace/trace.ts';
import {objectName} from '../trace/traceTexts.ts';
import {type Cause, endOfEffectNs} from './cause.ts';

/** A text that is shown beside an object of the page because of one lost packet. */
export interface CauseMark {
  readonly object: number;
  readonly text: string;
}

/**
 * Returns the texts at t (ns). Objects whose data or request was lost have a text, and so do objects whose data or
 * request has arrived and waits.
 */
export function causeMarksAt(trace: Trace, cause: Cause, tNs: number): readonly CauseMark[] {
  const {cargo, lostNs} = cause;
  if (cargo.kind !== 'data' || tNs < lostNs || tNs >= endOfEffectNs(cause, trace)) return [];
  const missing = cause.from === 'server' ? 'data lost' : 'request lost';
  const lost = cargo.parts.map(({object}) => ({object, text: missing}));
  const objects = new Set(lost.map(({object}) => object));
  const [first] = cargo.parts;
  const missed = first === undefined ? 'lost data' : missedText(trace, cause, first.object);
  const waiting = cargo.waited
    .filter(({object, startNs, endNs}) => !objects.has(object) && startNs <= tNs && tNs < endNs)
    .map(({object}) => object);
  return [...lost, ...Array.from(new Set(waiting), object => ({object, text: `waits for ${missed}`}))];
}

function missedText(trace: Trace, {from}: Cause, object: number): string {
  return from === 'server' ? objectName(trace, object) : 'a lost request';
}
