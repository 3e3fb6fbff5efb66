import {KERNEL_BUFFER} from './kernelBuffer.ts';
import type {Server} from './server.ts';

/**
 * nginx 1.22. Each response puts up to 64 KB (`output_buffers 2 32k`) as frames of 8 KB (`http2_chunk_size`) into the
 * connection's queue, which is ordered by the depth of the stream in the tree of dependencies and then by its weight
 * (`ngx_http_v2_queue_frame`). Priorities of RFC 9218 have no effect.
 */
export const nginx: Server<'nginx'> = {
  name: 'nginx',
  label: 'nginx 1.22',
  about:
    'HTTP/2’s first scheme of priorities (RFC 7540) decides; equal responses take turns of 64 KB, and the kernel’s ' +
    'send buffer is kept full',
  tls: {ticketBytes: [265, 265], growsRecords: false, separatesFrames: false},
  h2: {
    scheduling: {siblings: 'depth', turnBytes: 65_536},
    pieceBytes: 8192,
    ...KERNEL_BUFFER,
    settingsAreReply: true,
  },
  lacksHybridShare: true,
  lacksH3: true,
};
