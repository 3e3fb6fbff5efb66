/**
 * The congestion controls that a pane can choose. TCP and QUIC have all of them. `label` is the name for users. In
 * help, a sentence consists of the key and `does`.
 */
const CONTROLS = {
  reno: {label: 'Reno', does: 'halves the window after a loss (RFC 5681)'},
  cubic: {
    label: 'CUBIC',
    does: 'reduces the window by three tenths, and then lets it grow as a cubic function of time (RFC 9438)',
  },
  bbr: {
    label: 'BBR',
    does:
      'is version 1 as in Linux: it measures rate and RTT of the path, and paces at this rate; losses hardly matter ' +
      'to it',
  },
} as const;

/** The name of a congestion control. */
export type Congestion = keyof typeof CONTROLS;

/** A congestion control that only models of servers have: Reno that keeps 70 % of the window after a loss. */
export type ServerCongestion = 'reno-70';

/** All names, in the order in which they are listed. */
export const CONGESTIONS = Object.keys(CONTROLS) as readonly Congestion[];

/** Returns a short text for a congestion control: `BBR`. */
export function congestionLabel(congestion: Congestion): string {
  return CONTROLS[congestion].label;
}

/** Describes all congestion controls: a sentence for each. */
export const CONGESTION_HELP = CONGESTIONS.map(name => `${name} ${CONTROLS[name].does}.`).join(' ');
