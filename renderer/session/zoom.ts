/** The part of a run that the timeline shows, ns since the run's start. */
export type TimeWindow = readonly [fromNs: number, toNs: number];

/** The whole run, with some space after its end. */
export function wholeRun(endNs: number): TimeWindow {
  return [0, (endNs > 0 ? endNs : NO_RUN_NS) * 1.02];
}

/**
 * Makes the window `factor` times as long, but at least 1 ms. `aroundNs` keeps its position in the window, unless the
 * window would then reach beyond the run. Returns null, which means the whole run, if the new window would be at least
 * as long as {@link wholeRun}.
 */
export function zoomed([fromNs, toNs]: TimeWindow, factor: number, aroundNs: number, endNs: number): TimeWindow | null {
  const spanNs = Math.max((toNs - fromNs) * factor, SHORTEST_NS);
  const share = (aroundNs - fromNs) / (toNs - fromNs);
  return within(aroundNs - share * spanNs, spanNs, endNs);
}

/** The window moved by a share of its length, within the run. A positive share moves it to later times. */
export function panned([fromNs, toNs]: TimeWindow, share: number, endNs: number): TimeWindow | null {
  const spanNs = toNs - fromNs;
  return within(fromNs + share * spanNs, spanNs, endNs);
}

function within(fromNs: number, spanNs: number, endNs: number): TimeWindow | null {
  const [, lastNs] = wholeRun(endNs);
  if (spanNs >= lastNs) return null;
  const startNs = Math.min(Math.max(fromNs, 0), lastNs - spanNs);
  return [startNs, startNs + spanNs];
}

const SHORTEST_NS = 1e6;
/** The length of the axis for a run in which nothing happens. */
const NO_RUN_NS = 1e9;
