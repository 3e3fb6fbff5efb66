/**
 * What a live server, or a path to one, has so far behind its first port. At the first are SCTP in UDP and the kernel's
 * TCP, at QUIC's the kernel's TCP with TLS.
 */
export const PORT_OFFSETS = {sctp: 0, quic: 1, tls: 1, tcpInUdp: 2, control: 3} as const;
