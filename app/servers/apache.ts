import {KERNEL_BUFFER} from './kernelBuffer.ts';
import type {Server} from './server.ts';

/**
 * Apache 2.4 with mod_http2, which uses nghttp2: responses whose streams depend on the same stream share the connection
 * by their weights (RFC 7540 §5.3.2). Priorities of RFC 9218 have no effect.
 */
export const apache: Server<'apache'> = {
  name: 'apache',
  label: 'Apache 2.4',
  about:
    'HTTP/2’s first scheme of priorities (RFC 7540) decides; equal responses take turns of 16 KB, and the kernel’s send ' +
    'buffer is kept full',
  tls: {ticketBytes: [249, 249], growsRecords: false, separatesFrames: false},
  h2: {
    scheduling: {siblings: 'weights', turnBytes: 1},
    pieceBytes: 16_375,
    ...KERNEL_BUFFER,
  },
  lacksHybridShare: true,
  lacksH3: true,
};
