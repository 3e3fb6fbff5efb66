/** Limits that let a shim withstand slow and hostile peers. */
export interface ShimLimits {
  /** Longest time until an association or a connection is made. */
  readonly connectMs: number;
  /**
   * Longest time from the end of a request to the head of its answer. With plain HTTP also from one piece of the answer
   * to the next.
   */
  readonly answerMs: number;
  /** Longest silence of a peer before its association is given up. The near end sends pings before that happens. */
  readonly silenceMs: number;
  /** Longest time without a request before the near end ends its association. */
  readonly idleMs: number;
  /** Most unread bytes of one plain stream, whose sender cannot be held back. */
  readonly plainUnreadBytes: number;
  /** Most unread bytes of all plain streams of an association. */
  readonly plainUnreadInAllBytes: number;
  /**
   * Most unread bytes of an association at the far end. Beyond this, packets with data are not acknowledged, so the
   * sender waits.
   */
  readonly heldBytes: number;
  /** Most requests that wait for a stream. */
  readonly waiting: number;
  /** Most connections of programs to the near end, and most associations of a gateway. */
  readonly connections: number;
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
