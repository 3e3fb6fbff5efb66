import {HTML_LIMITS} from '../../../app/page/htmlReader.ts';
import type {Bucket} from './rate.ts';

/** Limits that protect a server on the public Internet. */
export interface ServerLimits {
  /**
   * Largest number of connections of each transport. When this limit is reached, a new connection is refused or
   * replaces another connection (`Places`).
   */
  readonly peers: number;
  /**
   * How many INITs of SCTP are answered, and how many SYNs of TCP in UDP. The two are counted separately. `ofOne` is
   * the limit for one address group, which is an IPv4 address or an IPv6 /64 network. `ofAll` is the limit for all
   * addresses together. Anybody can send an INIT or SYN with a forged source address. The answer, which goes to that
   * address, is up to four times as long as the INIT or SYN.
   */
  readonly handshakeRate: {readonly ofOne: Bucket; readonly ofAll: Bucket};
  /**
   * Largest number of unfinished handshakes. In TCP in UDP, a new handshake beyond this limit replaces the oldest
   * handshake of the address group that has the most handshakes. In QUIC, clients beyond this limit must first prove
   * their address (RFC 9000 §8.1.2).
   */
  readonly halfOpen: number;
  /** Longest time for a handshake. */
  readonly handshakeMs: number;
  /** Longest time from the first byte of a request to its last. */
  readonly requestMs: number;
  /** Longest time that a connection may stay open without a request. */
  readonly idleMs: number;
  /** Longest time from one complete answer to the next while requests wait. */
  readonly answerMs: number;
  /**
   * Largest number of waiting requests of one peer. Further requests are not read. A transport that has no flow control
   * for unread requests ends the connection when more requests wait.
   */
  readonly waiting: number;
  /** Largest number of bytes that were written for one peer and are not yet acknowledged. */
  readonly bufferBytes: number;
  /**
   * Size of the receive buffer for one peer. In SCTP it holds requests that are incomplete or out of order. In TCP in
   * UDP and in QUIC it holds all bytes that were received but not read.
   */
  readonly receiveBytes: number;
  /** Largest number of bytes of incomplete request heads of one peer, on all of its streams together. */
  readonly headBytes: number;
  /** Largest number of bytes of incomplete request heads of all peers together. */
  readonly headInAllBytes: number;
  /**
   * Largest number of packets that are received on an association or on a connection of TCP in UDP. Acknowledgements
   * do not count. This limit bounds how much memory the packets can occupy until the connection ends.
   */
  readonly packets: number;
  /**
   * Largest number of bytes that are received on all streams of one connection of HTTP/2 or QUIC, plus 256 for each
   * stream. This limit also roughly bounds how much memory the streams can occupy until the connection ends.
   */
  readonly streamBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  peers: 1000,
  // A window with six panes can open 48 connections at the same time, and all windows in a classroom may share one
  // address.
  handshakeRate: {ofOne: {perSecond: 100, burst: 500}, ofAll: {perSecond: 1000, burst: 2000}},
  // Distant clients need time to answer a SYN ACK. In a flood of 500 SYNs per second, a half-open connection still
  // exists for about half a second before it is replaced.
  halfOpen: 256,
  // Two retransmissions of a SYN ACK and the peer's answer fit in this time, even with the rules of 2007, whose
  // retransmission timer starts at 3 s (RFC 2988 §2.1).
  handshakeMs: 12_000,
  requestMs: 10_000,
  idleMs: 30_000,
  answerMs: 120_000,
  // A load requests every object of its page once. On a slow path, all requests can wait at the same time.
  waiting: HTML_LIMITS.objects,
  bufferBytes: 256 * 1024,
  receiveBytes: 64 * 1024,
  // This is one and a half times the longest head of HTTP/3, and six times the longest head of HTTP/1.1. Without this
  // limit the 64 streams of an association could fill a mebibyte.
  headBytes: 96 * 1024,
  headInAllBytes: 16 * 1024 * 1024,
  // This is enough to request the page with the most objects several times.
  packets: 4000,
  streamBytes: 2 * 1024 * 1024,
};
