/** The congestion controls of the network core, each with its label. TCP and QUIC have all of them. */
const LABELS = {reno: 'Reno', cubic: 'CUBIC', bbr: 'BBR'} as const;

/** The name of a congestion control. */
export type Congestion = keyof typeof LABELS;

/** All names, in the order in which they are listed. */
export const CONGESTIONS = Object.keys(LABELS) as readonly Congestion[];

/** Returns a short text for a congestion control: `BBR`. */
export function congestionLabel(congestion: Congestion): string {
  return LABELS[congestion];
}
