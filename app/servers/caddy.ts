import {KERNEL_BUFFER} from './kernelBuffer.ts';
import type {Server} from './server.ts';

/** The first window of quic-go (`initialCongestionWindow` in internal/congestion/cubic_sender.go). */
const FIRST_WINDOW_PACKETS = 32;

/**
 * Go's TLS server sends its ticket with its first flight, which is not modelled. In captures, each frame had a record
 * of its own.
 */
const GO_TLS = {ticketBytes: [], growsRecords: true, separatesFrames: true};

/**
 * Caddy 2.6 as Debian builds it, with Go 1.19. Each response is copied through a buffer of 32 KB (`io.Copy`), which is
 * written as two frames of 16 KB. While the buffer is filled again, another response is written. The tree of
 * dependencies decides (RFC 7540 §5.3, `http2priorityWriteScheduler`); among streams of equal weight the newest is
 * first. Priorities of RFC 9218 have no effect. Over HTTP/3, quic-go puts the data of all responses into packets in
 * turns.
 */
export const caddy: Server<'caddy'> = {
  name: 'caddy',
  label: 'Caddy 2.6',
  about:
    'over HTTP/2, the first scheme of priorities (RFC 7540) decides, in pieces of 16 KB; over HTTP/3, all responses ' +
    'take turns packet by packet',
  tls: GO_TLS,
  h2: {
    scheduling: {siblings: 'newest', turnBytes: 16_384, bufferBytes: 32_768},
    pieceBytes: 16_384,
    writesHeadsLate: true,
    ...KERNEL_BUFFER,
  },
  h3: {
    scheduling: {siblings: 'weights', turnBytes: 1, bufferBytes: Number.POSITIVE_INFINITY},
    pieceBytes: 1200,
    aheadBytes: 1500,
    firstWindowPackets: FIRST_WINDOW_PACKETS,
  },
};

/**
 * Caddy 2.11, built by Go 1.26. Over HTTP/2 all responses take turns of one frame, whatever their priorities. Over
 * HTTP/3, quic-go 0.63 follows RFC 9218.
 */
export const caddy211: Server<'caddy-2.11'> = {
  name: 'caddy-2.11',
  label: 'Caddy 2.11',
  about:
    'over HTTP/2, all responses take turns of 16 KB, whatever their priorities; over HTTP/3, urgency decides (RFC ' +
    '9218), and incremental responses take turns packet by packet',
  tls: GO_TLS,
  h2: {
    scheduling: {siblings: 'alike', turnBytes: 16_384, bufferBytes: Number.POSITIVE_INFINITY},
    pieceBytes: 16_384,
    writesHeadsLate: true,
    ...KERNEL_BUFFER,
  },
  h3: {scheduling: 'round-robin', pieceBytes: 1200, aheadBytes: 1500, firstWindowPackets: FIRST_WINDOW_PACKETS},
};
