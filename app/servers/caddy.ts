import type {HandlerRules} from '../http/h2/handlers.ts';
import type {ServerRules} from '../http/serverRules.ts';
import {KERNEL_BUFFER} from './kernelBuffer.ts';
import type {Server} from './server.ts';

/**
 * The QUIC stack of Caddy, and its answers over HTTP/3. The window, the congestion control and pacing come from the
 * source of quic-go (internal/congestion/cubic_sender.go and pacer.go; `newSentPacketHandler` chooses Reno). The server
 * announces no table of QPACK. The times were measured with tcpdump beside the server (docs/servers.md).
 */
const QUIC_GO = {
  firstWindowPackets: 32,
  // quic-go sends a probe for larger datagrams only every five round trips (mtu_discoverer.go), so most datagrams of a
  // short load have the first size
  keepsDatagramBytes: true,
  congestion: 'reno-70',
  pacesEach: true,
  // twice `DefaultInitialRTT` (internal/utils/rtt_stats.go)
  firstTimeoutMs: 200,
  mostQpackTableBytes: 0,
  starts: {afterNs: 400_000, apartNs: 50_000},
} as const satisfies Partial<ServerRules>;

/**
 * Go's TLS server sends its ticket with its first flight. The model leaves this ticket out. In captures, each frame had
 * a record of its own.
 */
const GO_TLS = {ticketBytes: [], growsRecords: true, separatesFrames: true};

/**
 * How Go's server answers over HTTP/2. The order of the frames follows from its source (net/http, h2_bundle.go). The
 * times were measured with tcpdump beside the server, in 20 loads of `gallery` by Chromium at 10 and at 50 Mbit/s
 * (docs/servers.md): the head of a response follows its request after 0.55 ms (median), heads follow one another in
 * steps of 20 to 60 µs, and the first body follows 4 heads at 10 Mbit/s and 7 at 50 Mbit/s. The model's times are
 * constant. The real times vary, and they are shorter if only one request is answered.
 */
const GO_HANDLERS: HandlerRules = {
  headNs: 550_000,
  nextNs: 220_000,
  writeNs: 40_000,
  copyBytes: 32_768,
  keptBytes: 4096,
};

/**
 * Caddy 2.6 as Debian builds it, with Go 1.19. Among the frames that handlers have queued, the tree of dependencies
 * decides (RFC 7540 §5.3, `http2priorityWriteScheduler`). If all streams that depend on the same stream have the same
 * weight, the newest is first; otherwise these streams share the connection by their weights. Priorities of RFC 9218
 * have no effect. Over HTTP/3, quic-go puts the data of all responses into packets in turns.
 */
export const caddy: Server<'caddy'> = {
  name: 'caddy',
  label: 'Caddy 2.6',
  about:
    'over HTTP/2, the first scheme of priorities (RFC 7540) decides, in pieces of 16 KB; over HTTP/3, all responses ' +
    'take turns packet by packet',
  tls: GO_TLS,
  lacksHybridShare: true,
  h2: {
    scheduling: {siblings: 'newest', turnBytes: 16_384},
    pieceBytes: 16_384,
    handlers: GO_HANDLERS,
    ...KERNEL_BUFFER,
  },
  h3: {
    scheduling: 'ring',
    // captured: `InitialPacketSizeIPv4` of quic-go 0.29
    firstDatagramBytes: 1252,
    pieceBytes: 1200,
    aheadBytes: 1500,
    ...QUIC_GO,
  },
};

/**
 * Caddy 2.11, built by Go 1.26. Over HTTP/2 all responses take turns of one frame, whatever their priorities
 * (`http2roundRobinWriteScheduler`). Over HTTP/3, quic-go 0.63 follows RFC 9218.
 */
export const caddy211: Server<'caddy-2.11'> = {
  name: 'caddy-2.11',
  label: 'Caddy 2.11',
  about:
    'over HTTP/2, all responses take turns of 16 KB, whatever their priorities; over HTTP/3, urgency decides (RFC ' +
    '9218), and incremental responses take turns packet by packet',
  tls: GO_TLS,
  h2: {
    scheduling: 'ring',
    pieceBytes: 16_384,
    handlers: GO_HANDLERS,
    ...KERNEL_BUFFER,
  },
  h3: {
    scheduling: 'round-robin',
    // `InitialPacketSize` of quic-go (internal/protocol/params.go)
    firstDatagramBytes: 1280,
    pieceBytes: 1200,
    aheadBytes: 1500,
    ...QUIC_GO,
  },
};
