/**
 * Distance of each service's port from a live server's first port, and from an emulated path's. SCTP in UDP and the
 * kernel's TCP share the first port; QUIC and TLS on the kernel's TCP share the next.
 */
export const PORT_OFFSETS = {sctp: 0, quic: 1, tls: 1, tcpInUdp: 2, control: 3} as const;
