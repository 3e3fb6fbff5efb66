/** The ways in which the network core can use ECN, each with its label. TCP and QUIC support all of them. */
const LABELS = {off: 'no ECN', classic: 'ECN', l4s: 'L4S'} as const;

/** A use of ECN. */
export type Ecn = keyof typeof LABELS;

/** All uses, in the order in which they are listed. */
export const ECNS = Object.keys(LABELS) as readonly Ecn[];

/** Returns a short text for a use of ECN: `L4S`. */
export function ecnLabel(ecn: Ecn): string {
  return LABELS[ecn];
}
