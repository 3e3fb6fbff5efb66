import {causeOf, endOfEffectNs, objectsConcerned} from '../../../app/run/cause/cause.ts';
import {causeSentenceAt} from '../../../app/run/cause/sentence.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Box} from './drawing.ts';
import type {ExplainedLoss, LossHit, TimelineModel} from './model.ts';
import {NEAR_MARK_PX} from './nearest.ts';
import {allPlots} from './plots.ts';

/** Whose data was lost with a packet, and whose waited for it by `untilNs`; none before the loss. */
export function lossObjects(trace: Trace, packet: number, untilNs = Number.POSITIVE_INFINITY): readonly number[] {
  const cause = causeOf(trace, packet);
  if (cause === undefined || untilNs < cause.lostNs) return [];
  if (endOfEffectNs(cause, trace) - 1 <= untilNs) return objectsConcerned(cause);
  const held = (trace.holdOf(packet)?.held ?? []).filter(({startNs}) => startNs <= untilNs);
  return [...new Set([...trace.objectsOf(packet), ...held].map(({object}) => object))];
}

/** What a lost packet did, for people, as far as it is known at `untilNs`. */
export function lossText(trace: Trace, packet: number, untilNs = Number.POSITIVE_INFINITY): string {
  const cause = causeOf(trace, packet);
  return cause === undefined ? '' : causeSentenceAt(trace, cause, untilNs);
}

/** What a timeline draws of a lost packet; null for one that was not. */
export function explainedLoss(trace: Trace | undefined, packet: number): ExplainedLoss | null {
  const cause = trace === undefined ? undefined : causeOf(trace, packet);
  return trace === undefined || cause === undefined ? null : {trace, cause};
}

/** Where the graph shows what a loss held up: from the loss to the last of it. Undefined if no graph has it. */
export function holdBox(model: TimelineModel, {trace, packet}: LossHit): Box | undefined {
  const plot = allPlots(model).find(({panes}) => panes.some(pane => pane.trace === trace));
  const cause = causeOf(trace, packet);
  if (plot === undefined || cause === undefined) return undefined;
  const {box, strip, x} = plot;
  const [from, to] = [x(cause.lostNs) - NEAR_MARK_PX, x(endOfEffectNs(cause, trace)) + NEAR_MARK_PX];
  return {x: from, y: box.y, width: to - from, height: strip.y + strip.height - box.y};
}
