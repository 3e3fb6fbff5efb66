import type {TimelinePane} from './model.ts';

/** Whether nothing is known of what the path lost of these loads, as they are live. */
export function isLossUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.lost.down));
}

/** Whether none of their packets are known: their hosts' kernels have them. */
export function arePacketsUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.packets.down));
}
