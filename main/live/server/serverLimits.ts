import type {Bucket} from './rate.ts';

/** Limits that let a server withstand the public Internet. */
export interface ServerLimits {
  /** Most connections of each transport. Beyond it another connection is ended or the new one refused (`Places`). */
  readonly peers: number;
  /**
   * How many INITs and SYNs are answered, for one address and for all. Anybody can send them under a forged address,
   * and answers are up to four times as long.
   */
  readonly begins: {readonly ofOne: Bucket; readonly ofAll: Bucket};
  /**
   * Most connections of TCP in UDP whose handshake is not finished; a newer one replaces the oldest. With as many of
   * QUIC, further clients must first prove their address (RFC 9000 §8.1.2).
   */
  readonly halfOpen: number;
  /** Longest time for that handshake. */
  readonly handshakeMs: number;
  /** Longest time for the rest of a request that has begun. */
  readonly requestMs: number;
  /** Longest time without a request. */
  readonly idleMs: number;
  /** Longest time from one complete answer to the next while requests wait. */
  readonly answerMs: number;
  /**
   * Most waiting requests of one peer. Further ones are not read; on transports that cannot hold them back, the
   * connection ends.
   */
  readonly waiting: number;
  /** Most bytes for one peer that are written and not acknowledged. */
  readonly bufferBytes: number;
  /** Most bytes from one peer that are not yet a whole request. On QUIC: most bytes that were not read. */
  readonly receiveBytes: number;
  /** Most bytes of request heads that have come in part: of one peer on all of its streams, and of all peers. */
  readonly headBytes: number;
  readonly headInAllBytes: number;
  /**
   * Most packets of an association or TCP connection in UDP, not counting acknowledgements. It bounds what they leave
   * behind in memory.
   */
  readonly packets: number;
  /** Most bytes on all streams of a QUIC connection. It also bounds about what they leave behind in memory. */
  readonly streamBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  peers: 1000,
  // a window with six panes opens 48 connections at once, and a whole classroom may share one address
  begins: {ofOne: {perSecond: 100, burst: 500}, ofAll: {perSecond: 1000, burst: 2000}},
  // SYN ACKs are answered from far away, too: at 500 SYNs a second none is replaced before it is half a second old
  halfOpen: 256,
  // two retransmissions of a SYN ACK by the rules of 2007, whose timer starts at 3 s (RFC 2988 §2.1), and the answer
  handshakeMs: 12_000,
  requestMs: 10_000,
  idleMs: 30_000,
  answerMs: 120_000,
  // as many as browsers pipeline at most, and more objects than a page has per stream
  waiting: 1000,
  bufferBytes: 256 * 1024,
  receiveBytes: 64 * 1024,
  // one and a half of HTTP/3's longest head, six of HTTP/1.1's; 64 streams of an association could have filled a
  // mebibyte
  headBytes: 96 * 1024,
  headInAllBytes: 16 * 1024 * 1024,
  // the page with the most objects, asked for several times
  packets: 4000,
  streamBytes: 2 * 1024 * 1024,
};
