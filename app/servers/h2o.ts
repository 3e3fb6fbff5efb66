import type {Server} from './server.ts';

/**
 * h2o 2.2. While the congestion window has at most 64 KB, the server writes only as much as the window allows
 * (`http2-latency-optimization-max-cwnd`), so an urgent response immediately overtakes all others. With a larger
 * window, the server fills the send buffer. The real server then writes pieces of 16 KB, while the model keeps its
 * small pieces. Responses whose streams depend on the same stream share the connection by their weights (RFC 7540
 * §5.3.2). Priorities of RFC 9218 have no effect.
 */
export const h2o: Server<'h2o'> = {
  name: 'h2o',
  label: 'h2o 2.2',
  about:
    'HTTP/2’s first scheme of priorities (RFC 7540) decides; equal responses take turns of two packets, and nothing is ' +
    'written ahead of the congestion window until the window has 64 KB',
  tls: {ticketBytes: [397], growsRecords: false, separatesFrames: false},
  h2: {
    scheduling: {siblings: 'weights', turnBytes: 1},
    pieceBytes: 2823,
    aheadBytes: 3000,
    aheadGrowsFromBytes: 65_535,
    settingsAreReply: true,
  },
  lacksHybridShare: true,
  lacksH3: true,
};
