/** What of a run the timeline shows, ns since the run's start. */
export type TimeWindow = readonly [fromNs: number, toNs: number];

/** The whole run, with some room behind its end. */
export function wholeRun(endNs: number): TimeWindow {
  return [0, (endNs > 0 ? endNs : NO_RUN_NS) * 1.02];
}

/** `factor` times as much time, with `aroundNs` where it is; null, which is the whole run, if that is less. */
export function zoomed([fromNs, toNs]: TimeWindow, factor: number, aroundNs: number, endNs: number): TimeWindow | null {
  const spanNs = Math.max((toNs - fromNs) * factor, SHORTEST_NS);
  const share = (aroundNs - fromNs) / (toNs - fromNs);
  return within(aroundNs - share * spanNs, spanNs, endNs);
}

/** Later by a share of what is shown, as far as the run goes; earlier if it is negative. */
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
/** An axis where nothing happened. */
const NO_RUN_NS = 1e9;
