import {expect, test} from 'vitest';
import {captureTrace} from '../../captures/captureTrace.ts';
import {chunk, packet, smallLoad} from '../../captures/testing/capturedLoads.ts';
import {Trace} from '../trace/trace.ts';
import {isDatagramRequest, sendingsOf} from './sendings.ts';

test('a captured association without its handshake has no requests in bare datagrams', () => {
  const lost = packet('up', 30, {chunks: [chunk(0, 60, [0, 60])], fate: 'lost'});
  const other = packet('up', 40, {chunks: [chunk(1, 60, [0, 60])]});
  const again = packet('up', 1030, {chunks: [{...chunk(0, 60, [0, 60]), retransmission: true}]});
  const trace = new Trace(captureTrace({...smallLoad(), pipeline: 'sctp', packets: [lost, other, again]}));
  expect(isDatagramRequest(trace.data, 0)).toBe(false);
  // the other packet has another chunk of the same object
  expect(sendingsOf(trace, 0, Number.POSITIVE_INFINITY)).toMatchObject([{packet: 2, noticed: {by: 'timeout'}}]);
});
