import type {ServerCongestion} from './congestion.ts';
import type {HandlerRules} from './h2/handlers.ts';
import type {Scheduling} from './responseOrder.ts';
import {AHEAD_BYTES} from './room.ts';

/** How a server writes its responses over HTTP/2 or HTTP/3. */
export interface ServerRules {
  /** Which response is written next. */
  readonly scheduling: Scheduling;
  /**
   * The largest number of bytes of a body that are written in one piece. Over HTTP/2, a piece is the content of a DATA
   * frame.
   */
  readonly pieceBytes: number;
  /**
   * The number of bytes that the server writes ahead of the transport's congestion window. These bytes can no longer be
   * overtaken by a more urgent response.
   */
  readonly aheadBytes: number;
  /**
   * Over TCP: the congestion window above which the server fills the send buffer of Linux, which holds 1.8 windows
   * besides the data in flight (`AHEAD_PERCENT` in native/netsim/src/tcp/mod.rs). Absent if the server never does that.
   */
  readonly aheadGrowsFromBytes?: number;
  /**
   * Over HTTP/2: how the server answers each request in a thread of its own. Absent if the server has no such threads.
   * Then it writes as soon as there is room, and it writes all heads that are due before it writes a body.
   */
  readonly handlers?: HandlerRules;
  /**
   * Over HTTP/2: whether the server sends its settings only when it has read the first frames of the client, so that it
   * acknowledges the client's settings in the same packet. RFC 9113 §3.4 also allows a server to send them earlier.
   */
  readonly settingsAreReply?: boolean;
  /** Over QUIC: the first congestion window, in packets. Absent if it is that of the profile. */
  readonly firstWindowPackets?: number;
  /**
   * Over QUIC: the size of the server's datagrams at first, unless the pane chooses one. Absent if it is that of the
   * profile.
   */
  readonly firstDatagramBytes?: number;
  /** Over QUIC: whether the server does not search for larger datagrams. */
  readonly keepsDatagramBytes?: true;
  /** Over QUIC: the congestion control, unless the pane chooses one. Absent if it is that of the profile. */
  readonly congestion?: ServerCongestion;
  /** Over QUIC: whether each datagram is paced by itself, as in quic-go. Absent if datagrams are paced in bursts. */
  readonly pacesEach?: boolean;
  /** Over QUIC: the server's probe timeout before it knows the RTT, ms. Absent if it is that of the profile. */
  readonly firstTimeoutMs?: number;
  /** Over HTTP/3: the largest dynamic table of QPACK that the server allows, in bytes. Absent if the pane decides. */
  readonly mostQpackTableBytes?: number;
  /** Over HTTP/3: when responses can be written. Absent if each can be written as soon as its think time has ended. */
  readonly starts?: StartRules;
}

/** When a server that answers each request in a thread of its own can begin to write the responses. */
export interface StartRules {
  /** The time from the end of the think time until the response can be written. */
  readonly afterNs: number;
  /** The least time from the start of one response to the start of the next. */
  readonly apartNs: number;
}

/**
 * The rules of the server `plain`, which lets the panes choose the scheduler. Its pieces fit in one packet, so that
 * another response can be next after each packet. Together with the headers of the frames, QUIC, UDP and IP, a piece
 * of HTTP/3 nearly fills a packet of 1500 bytes.
 */
export function plainRules(scheduling: Scheduling, version: 2 | 3): ServerRules {
  return {scheduling, pieceBytes: version === 2 ? 1360 : 1400, aheadBytes: AHEAD_BYTES};
}
