import type {Bucket} from '../../net/rate.ts';

/** What a server in public holds out with. */
export interface ServerLimits {
  /** Connections, and as many associations: beyond that others go, or the new one (`Places`). */
  readonly peers: number;
  /**
   * INITs and SYNs that are answered, of an address and of all: anybody can send them in another's name, and answers are
   * up to four times as long.
   */
  readonly begins: {readonly ofOne: Bucket; readonly ofAll: Bucket};
  /**
   * Connections of TCP in UDP whose handshake is not done: a newer one takes the place of the oldest. As many of QUIC: the
   * next have to show first that they are where they say (RFC 9000 §8.1.2).
   */
  readonly halfOpen: number;
  /** For that handshake. */
  readonly handshakeMs: number;
  /** For the rest of a request, once it has begun. */
  readonly requestMs: number;
  /** Without a request. */
  readonly idleMs: number;
  /** From one answer that is taken whole to the next, while requests wait. */
  readonly answerMs: number;
  /** Requests of a peer that wait. More are not read, or where they cannot be held back end it. */
  readonly waiting: number;
  /** Of a peer, written and not acknowledged. */
  readonly bufferBytes: number;
  /** Of such a peer: what it may have sent that is no whole request yet. Of one of QUIC: that was not read. */
  readonly receiveBytes: number;
  /** Heads of requests that have come in part: of a peer, on all of its streams, and of all peers. */
  readonly headBytes: number;
  readonly headInAllBytes: number;
  /** Of an association, or TCP connection in UDP, in all, but for acknowledgements: so is what they leave behind here. */
  readonly packets: number;
  /** Of a connection of QUIC: what may come on its streams in all, and about what these leave behind here. */
  readonly streamBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  peers: 1000,
  // a window of six panes opens 48 connections at once, and a classroom may be behind one address
  begins: {ofOne: {perSecond: 100, burst: 500}, ofAll: {perSecond: 1000, burst: 2000}},
  // their SYN ACKs come from far away, too: of 500 a second none is pushed out before it is half a second old
  halfOpen: 256,
  // two retransmissions of a SYN ACK by the rules of 2007, whose timer begins with 3 s (RFC 2988 §2.1), and the answer
  handshakeMs: 12_000,
  requestMs: 10_000,
  idleMs: 30_000,
  answerMs: 120_000,
  // as browsers pipeline at most, and more objects than streams would make of one page's
  waiting: 1000,
  bufferBytes: 256 * 1024,
  receiveBytes: 64 * 1024,
  // the longest of HTTP/3 and a half, six of HTTP/1.1; 64 streams of an association had a mebibyte
  headBytes: 96 * 1024,
  headInAllBytes: 16 * 1024 * 1024,
  // a page of the most objects, asked for several times
  packets: 4000,
  streamBytes: 2 * 1024 * 1024,
};
