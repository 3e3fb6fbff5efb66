import type {Bucket} from './rate.ts';

/** Limits that let a server withstand the public Internet. */
export interface ServerLimits {
  /**
   * Most connections of each transport. Beyond this, another connection is ended or the new one is refused (`Places`).
   */
  readonly peers: number;
  /**
   * How many INITs and SYNs are answered, for one address and for all addresses. Anybody can send them under a forged
   * address, and the answers are up to four times as long.
   */
  readonly begins: {readonly ofOne: Bucket; readonly ofAll: Bucket};
  /**
   * Most connections of TCP in UDP whose handshake is not finished. Beyond this, a new one replaces the oldest. With as
   * many connections of QUIC, further clients must first prove their address (RFC 9000 §8.1.2).
   */
  readonly halfOpen: number;
  /** Longest time for the handshake of such a connection. */
  readonly handshakeMs: number;
  /** Longest time for the rest of a request that has begun. */
  readonly requestMs: number;
  /** Longest time without a request. */
  readonly idleMs: number;
  /** Longest time from one complete answer to the next while requests wait. */
  readonly answerMs: number;
  /**
   * Most waiting requests of one peer. Further requests are not read. On transports that cannot hold them back, the
   * connection ends.
   */
  readonly waiting: number;
  /** Most bytes that were written for one peer and are not acknowledged. */
  readonly bufferBytes: number;
  /** Most bytes of an incomplete request from one peer. On QUIC: most bytes that were not read. */
  readonly receiveBytes: number;
  /** Most bytes of incomplete request heads: of one peer on all of its streams, and of all peers. */
  readonly headBytes: number;
  readonly headInAllBytes: number;
  /**
   * Most packets of an association or of a TCP connection in UDP, acknowledgements not counted. This bounds how much
   * memory the packets can occupy until the connection ends.
   */
  readonly packets: number;
  /**
   * Most bytes on all streams of a QUIC connection. This also roughly bounds how much memory they can occupy until the
   * connection ends.
   */
  readonly streamBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  peers: 1000,
  // a window with six panes opens 48 connections at once, and a whole classroom may share one address
  begins: {ofOne: {perSecond: 100, burst: 500}, ofAll: {perSecond: 1000, burst: 2000}},
  // Clients far away need time to answer a SYN ACK: at 500 SYNs a second no connection is replaced before it is half a
  // second old.
  halfOpen: 256,
  // time for the answer after two retransmissions of a SYN ACK by the rules of 2007, whose timer starts at 3 s (RFC
  // 2988 §2.1)
  handshakeMs: 12_000,
  requestMs: 10_000,
  idleMs: 30_000,
  answerMs: 120_000,
  // as many requests as browsers pipeline at most, and more than a page has objects per stream
  waiting: 1000,
  bufferBytes: 256 * 1024,
  receiveBytes: 64 * 1024,
  // One and a half times the longest head of HTTP/3, and six times that of HTTP/1.1. Without this limit the 64 streams
  // of an association could fill a mebibyte.
  headBytes: 96 * 1024,
  headInAllBytes: 16 * 1024 * 1024,
  // the page with the most objects, asked for several times
  packets: 4000,
  streamBytes: 2 * 1024 * 1024,
};
