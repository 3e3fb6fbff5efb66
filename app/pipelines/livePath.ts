/** How a pane comes to a live server. A type, not an interface: it is part of documents. */
export type LivePath = {
  /** `HOST:PORT` of the server, or of a path that leads to it. */
  readonly live: string;
  /** Whose TCP carries what goes over TCP: the stack of computed loads, in UDP; absent: the kernel's. */
  readonly tcp?: 'udp';
  /** SHA-256 of the certificate that the server of QUIC has, 64 hexadecimal digits: no other is taken. */
  readonly fingerprint?: string;
};
