import {DIRECTION} from '../../app/trace/columns.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Box} from './drawing.ts';
import type {LossHit, TimelineModel} from './model.ts';
import {NEAR_MARK_PX} from './nearest.ts';
import {layOut} from './plots.ts';

/** Whose data was lost with a packet, and whose waited for it by `untilNs`. */
export function lossObjects(
  trace: Trace,
  packet: number,
  untilNs = Number.POSITIVE_INFINITY,
): readonly number[] {
  const held = (trace.holdOf(packet)?.held ?? []).filter(({startNs}) => startNs <= untilNs);
  return [...new Set([...trace.objectsOf(packet), ...held].map(({object}) => object))];
}

/** One line for people: what a lost packet held up, and for how long; no more than is known at `untilNs`. */
export function lossText(trace: Trace, packet: number, untilNs = Number.POSITIVE_INFINITY): string {
  const {packets} = trace.data;
  const from = packets.direction[packet] === DIRECTION.down ? 'server' : 'client';
  const what = trace.objectsOf(packet).map(({object}) => trace.objects[object]?.url);
  const cargo = what.length === 0 ? 'control' : what.join(', ');
  const lost = `lost at ${seconds(packets.fateNs[packet] ?? 0)}, sent by the ${from}: ${cargo}`;
  const hold = trace.holdOf(packet);
  if (hold === undefined) return lost;
  const repaired = repairText(hold.repairedNs, untilNs);
  const held = hold.held
    .filter(({startNs}) => startNs <= untilNs)
    .map(({object, startNs, endNs}) => {
      const waitedNs = Math.min(endNs, untilNs) - startNs;
      return `${trace.objects[object]?.url} for ${seconds(waitedNs)}${endNs > untilNs ? ' so far' : ''}`;
    });
  return `${lost}; ${repaired}; held up ${held.length === 0 ? 'nothing' : held.join(', ')}`;
}

function repairText(repairedNs: number | null, untilNs: number): string {
  if ((repairedNs ?? Number.POSITIVE_INFINITY) <= untilNs) return `repaired at ${seconds(repairedNs ?? 0)}`;
  return untilNs === Number.POSITIVE_INFINITY ? 'never repaired' : 'not repaired yet';
}

/** Where the graph shows what a loss held up: from the loss to the last of it. Undefined if no graph has it. */
export function holdBox(model: TimelineModel, {trace, packet}: LossHit): Box | undefined {
  const plot = layOut(model).find(({panes}) => panes.some(pane => pane.trace === trace));
  if (plot === undefined) return undefined;
  const {box, strip, x} = plot;
  const hold = trace.holdOf(packet);
  const lostNs = trace.data.packets.fateNs[packet] ?? 0;
  const ends = [lostNs, hold?.repairedNs ?? lostNs, ...(hold?.held ?? []).map(({endNs}) => endNs)];
  const [from, to] = [x(lostNs) - NEAR_MARK_PX, x(Math.max(...ends)) + NEAR_MARK_PX];
  return {x: from, y: box.y, width: to - from, height: strip.y + strip.height - box.y};
}

function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(2)} s`;
}
