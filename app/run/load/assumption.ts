/**
 * Assumptions that a load can make in addition to its settings. A load with an assumption shows how much time a cause
 * costs.
 *
 * - `free-set-up`: the handshakes of TCP and SCTP take no time, and none of their packets is lost. TLS over TCP still
 *   takes its time. The handshake of QUIC, which contains TLS, is not changed.
 * - `unlimited-window`: the congestion windows of TCP and SCTP start with 1000 packets, which may be sent in one burst,
 *   and TCP offers its whole receive buffer from the start. A loss still reduces the congestion window. QUIC is not
 *   changed: the setting `firstWindowPackets` of its panes has the same effect.
 */
export const ASSUMPTIONS = ['free-set-up', 'unlimited-window'] as const;

export type Assumption = (typeof ASSUMPTIONS)[number];
