/**
 * Limits that protect a shim from slow and hostile peers. The near end of a shim is a proxy for the user's programs.
 * The far end is a gateway to servers. An SCTP association connects both.
 */
export interface ShimLimits {
  /** Longest time until an association or a connection is established. */
  readonly connectMs: number;
  /**
   * Longest time from the end of a request to the head of its answer. The peer of a far end may also use plain HTTP,
   * which is HTTP without the frames of the shim. The far end aborts the association of such a peer if no message is
   * received or sent on it for this long.
   */
  readonly answerMs: number;
  /**
   * If a shim is silent for this long, the other end aborts the association. The near end sends pings to prevent this,
   * and the far end answers them. A peer with plain HTTP may be silent for longer.
   */
  readonly silenceMs: number;
  /** If no request is open for this long, the near end closes its association. */
  readonly idleMs: number;
  /** Largest number of unread bytes of one stream with plain HTTP, which has no flow control per stream. */
  readonly plainUnreadBytes: number;
  /** Largest number of unread bytes of all streams of an association with plain HTTP. */
  readonly plainUnreadInAllBytes: number;
  /**
   * Largest number of unread bytes of an association at the far end. Beyond this limit, packets with data are dropped,
   * so that the sender waits.
   */
  readonly heldBytes: number;
  /** Largest number of requests that wait for a stream. */
  readonly waiting: number;
  /** Largest number of TCP connections to the near end. */
  readonly connections: number;
  /** Largest number of associations of a far end. */
  readonly associations: number;
  /** Ports that tunnels may lead to (RFC 9110 §9.3.6). */
  readonly tunnelPorts: readonly number[];
}

export const SHIM_LIMITS: ShimLimits = {
  connectMs: 10_000,
  answerMs: 120_000,
  silenceMs: 30_000,
  idleMs: 60_000,
  plainUnreadBytes: 16 * 1024 * 1024,
  plainUnreadInAllBytes: 64 * 1024 * 1024,
  heldBytes: 2 * 1024 * 1024,
  waiting: 1000,
  connections: 1000,
  associations: 100,
  tunnelPorts: [443],
};
