import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {causeOf, endOfEffectNs} from './cause.ts';

/** A lost packet in a pane of a run. */
export interface PaneLoss {
  /** Index of the pane, from 0. */
  readonly pane: number;
  /** Row in the trace's packets. */
  readonly packet: number;
}

/** A loss in the form that stories and files contain. */
export interface NumberedLoss {
  /** Index of the pane, from 0. */
  readonly pane: number;
  /** Number of the loss in the pane, in the order of sending. Numbers begin with 1. */
  readonly number: number;
}

/**
 * Returns the time at which a loss is explained, in ns: the last moment of its effect, or the time of the loss if it
 * had no effect. 0 if the packet was not lost.
 */
export function explainedNs(traces: readonly Trace[], {pane, packet}: PaneLoss): number {
  const trace = traces[pane];
  return trace === undefined ? 0 : (momentsOf(trace).get(packet) ?? 0);
}

const momentsOf = cachedByTrace((trace: Trace): ReadonlyMap<number, number> => {
  return new Map(
    trace.droppedPackets().map(packet => {
      const cause = causeOf(trace, packet);
      return [packet, cause === undefined ? 0 : Math.max(cause.lostNs, endOfEffectNs(cause, trace) - 1)];
    }),
  );
});

/**
 * Returns the losses of all panes in the order of {@link explainedNs}, so that a user who steps through them never goes
 * back in time. Losses that are explained at the same time are in the order of the panes.
 */
export function allLosses(traces: readonly Trace[]): readonly PaneLoss[] {
  return traces
    .flatMap((trace, pane) => Array.from(momentsOf(trace), ([packet, atNs]) => ({pane, packet, atNs})))
    .sort((a, b) => a.atNs - b.atNs || a.pane - b.pane)
    .map(({pane, packet}) => ({pane, packet}));
}

/**
 * If t (ns) is the time at which the chosen loss is explained, returns the loss after it (`steps` 1) or before it
 * (`steps` -1). Otherwise, returns the first loss that is explained after t (`steps` 1), or the last loss that is
 * explained at or before t (`steps` -1). Null if there is no such loss.
 */
export function lossFrom(
  traces: readonly Trace[],
  chosen: PaneLoss | null,
  tNs: number,
  steps: 1 | -1,
): PaneLoss | null {
  const losses = allLosses(traces);
  const at = losses.findIndex(({pane, packet}) => pane === chosen?.pane && packet === chosen.packet);
  const shown = losses[at];
  if (shown !== undefined && explainedNs(traces, shown) === tNs) return losses[at + steps] ?? null;
  // At t = 0, a loss at t counts as later, because the first packet of a set-up may be lost at that instant.
  const isLater = (loss: PaneLoss): boolean => tNs === 0 || explainedNs(traces, loss) > tNs;
  return (steps > 0 ? losses.find(isLater) : losses.findLast(loss => !isLater(loss))) ?? null;
}

/** Finds a loss by its number. Null if there is no such loss. */
export function lossNumbered(traces: readonly Trace[], {pane, number}: NumberedLoss): PaneLoss | null {
  const packet = traces[pane]?.droppedPackets()[number - 1];
  return packet === undefined ? null : {pane, packet};
}

/**
 * Explains why a run does not have this loss: `there is no loss 8 in pane 2: it loses 7 packets`. Null if the run has
 * it. `losses` holds the number of losses in each pane.
 */
export function missingLoss({pane, number}: NumberedLoss, losses: readonly number[]): string | null {
  const lost = losses[pane];
  if (lost !== undefined && number <= lost) return null;
  const why =
    lost === undefined
      ? `the run has ${losses.length} pane${losses.length === 1 ? '' : 's'}`
      : `it loses ${packetsText(lost)}`;
  return `there is no loss ${number} in pane ${pane + 1}: ${why}`;
}

/** Writes a number of packets: `no packet`, `1 packet` or `2 packets`. */
export function packetsText(count: number): string {
  return `${count === 0 ? 'no' : count} packet${count > 1 ? 's' : ''}`;
}

/** Returns the number by which {@link lossNumbered} finds this loss. Null if the packet was not lost. */
export function numberOf(traces: readonly Trace[], {pane, packet}: PaneLoss): NumberedLoss | null {
  const at = traces[pane]?.droppedPackets().indexOf(packet) ?? -1;
  return at < 0 ? null : {pane, number: at + 1};
}

/**
 * Finds the same loss in another run of the same panes: the packet with the same row, if it was lost at the same time.
 * Null if there is none. If the paths of the two runs are the same until a time t, all losses before t are found.
 */
export function sameLoss(before: readonly Trace[], after: readonly Trace[], loss: PaneLoss): PaneLoss | null {
  const {pane, packet} = loss;
  const [old, trace] = [before[pane]?.data, after[pane]];
  const isSame =
    trace?.data.pipeline === old?.pipeline &&
    trace?.data.packets.fateNs[packet] === old?.packets.fateNs[packet] &&
    trace?.droppedPackets().includes(packet) === true;
  return isSame ? loss : null;
}
