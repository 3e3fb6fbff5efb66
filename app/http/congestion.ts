/** The congestion controls that a pane can choose, each with its label. TCP and QUIC have all of them. */
const LABELS = {reno: 'Reno', cubic: 'CUBIC', bbr: 'BBR'} as const;

/** The name of a congestion control. */
export type Congestion = keyof typeof LABELS;

/** A congestion control that only models of servers have: Reno that keeps 70 % of the window after a loss. */
export type ServerCongestion = 'reno-70';

/** All names, in the order in which they are listed. */
export const CONGESTIONS = Object.keys(LABELS) as readonly Congestion[];

/** Returns a short text for a congestion control: `BBR`. */
export function congestionLabel(congestion: Congestion): string {
  return LABELS[congestion];
}
