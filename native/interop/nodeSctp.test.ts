// @module-tag long
// Our SCTP exchanges messages with node-sctp, an implementation in JavaScript.
import {beforeAll, describe, expect, it} from 'vitest';
import {exchange} from './testing/nodeSctpPeer.ts';
import {buildOurPeer, startOurPeer} from './testing/ourSctpPeer.ts';
import {message} from './testing/sctpMessages.ts';
import {bindUdp} from './testing/udpSockets.ts';

const streams = 4;

beforeAll(buildOurPeer, 600_000);

describe.each([
  {ours: 'client', theirs: 'server'},
  {ours: 'server', theirs: 'client'},
] as const)('our SCTP as $ours with node-sctp as $theirs, over UDP in real time', ({ours, theirs}) => {
  it.each([
    {loss: 0, messages: 25},
    {loss: 0.05, messages: 10},
  ])(
    'exchanges messages on several streams at loss $loss',
    async ({loss, messages}) => {
      const udp = await bindUdp();
      const peer = startOurPeer({role: ours, port: udp.address().port, streams, messages, loss});
      try {
        const received = exchange(udp, await peer.port, {role: theirs, streams, messages});
        const [counts, arrived] = await Promise.all([peer.done, received]);
        expect(counts).toContain(`${streams * messages} messages received`);
        if (loss > 0) expect(counts).not.toContain(' 0 dropped');
        for (const [stream, bytes] of arrived.entries()) {
          const sent = Array.from({length: messages}, (_, number) => message(stream, number));
          expect(bytes.length).toBe(messages);
          expect(Buffer.concat(bytes).equals(Buffer.concat(sent))).toBe(true);
        }
      } finally {
        peer.kill();
        udp.close();
      }
    },
    120_000,
  );
});
