/** How a pane reaches a live server. It is a type rather than an interface because documents contain it. */
export type LivePath = {
  /** `HOST:PORT` of the server, or of a path that leads to it. */
  readonly live: string;
  /** The TCP stack that is used: the simulator's own over UDP, or the kernel's if this is absent. */
  readonly tcp?: 'udp';
  /** SHA-256 of the certificate of a QUIC server, as 64 hexadecimal digits. No other certificate is accepted. */
  readonly fingerprint?: string;
};
