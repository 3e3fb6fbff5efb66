/** What a shim holds out with. */
export interface ShimLimits {
  /** Until there is an association, or a connection. */
  readonly connectMs: number;
  /** For the head of an answer, once all of its request was sent; with plain HTTP also from one piece of it to the next. */
  readonly answerMs: number;
  /** Without a message of its peer's: an association is given up. The near end asks for one before. */
  readonly silenceMs: number;
  /** Without a request: the near end ends its association. */
  readonly idleMs: number;
  /** Of a plain stream, whose sender cannot be held back: what came and is not read yet. */
  readonly plainUnreadBytes: number;
  /** Of all those of an association together. */
  readonly plainUnreadInAllBytes: number;
  /** Of an association of the far end: beyond it the rest is not acknowledged, and its sender waits. */
  readonly heldBytes: number;
  /** Requests that wait for a stream. */
  readonly waiting: number;
  /** Programs' connections to the near end, and each gateway's associations. */
  readonly connections: number;
  readonly associations: number;
  /** Where tunnels may lead (RFC 9110 §9.3.6). */
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
