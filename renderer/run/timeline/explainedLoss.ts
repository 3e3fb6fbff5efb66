import {causeOf, endOfEffectNs, objectsConcerned} from '../../../app/run/cause/cause.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {ExplainedLoss} from './model.ts';

/**
 * The objects whose data was in a lost packet, and the objects whose data had begun to wait for that packet by
 * `untilNs`. Empty if the packet was not lost, or if `untilNs` is before the loss.
 */
export function lossObjects(trace: Trace, packet: number, untilNs = Number.POSITIVE_INFINITY): readonly number[] {
  const cause = causeOf(trace, packet);
  if (cause === undefined || untilNs < cause.lostNs) return [];
  if (endOfEffectNs(cause, trace) - 1 <= untilNs) return objectsConcerned(cause);
  const held = (trace.blockingOf(packet)?.held ?? []).filter(({startNs}) => startNs <= untilNs);
  return [...new Set([...trace.objectsOf(packet), ...held].map(({object}) => object))];
}

/** What the timeline draws to explain a lost packet. Null if the packet was not lost, or if there is no trace. */
export function explainedLoss(trace: Trace | undefined, packet: number): ExplainedLoss | null {
  const cause = trace === undefined ? undefined : causeOf(trace, packet);
  return trace === undefined || cause === undefined ? null : {trace, cause};
}
