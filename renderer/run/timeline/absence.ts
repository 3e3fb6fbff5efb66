import type {TimelinePane} from './model.ts';

/** Whether the losses of all these loads are unknown, because the loads are live. */
export function isLossUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.lost.down));
}

/** Whether the packets of all these loads are unknown, because the operating system's transport sent them. */
export function arePacketsUnknown(panes: readonly Pick<TimelinePane, 'metrics'>[]): boolean {
  return panes.length > 0 && panes.every(({metrics}) => Number.isNaN(metrics.packets.down));
}
