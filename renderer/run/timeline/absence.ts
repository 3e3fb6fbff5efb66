import type {TimelinePane} from './model.ts';

/**
 * Whether the losses of packets from the server are unknown in all these loads. They are unknown in live loads, and in
 * captures that were made at the client or that have no packets.
 */
export function isLossUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.lost.down));
}

/**
 * Whether the packets of all these loads are unknown. They are unknown in live loads over the transport of the
 * operating system, and in captures that have no packets.
 */
export function arePacketsUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.packets.down));
}
