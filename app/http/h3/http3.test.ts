import {expect, test} from 'vitest';
import {plainRules} from '../serverRules.ts';
import type {StreamPiece} from '../transports.ts';
import {Http3} from './http3.ts';

test('requests that are sent apart are written one at each call, until the connection ends', () => {
  const written: number[][] = [];
  const network = {
    connect: () => undefined,
    read: () => new Uint8Array(0),
    writeStreams: (_: number, pieces: readonly StreamPiece[]) => {
      const requests = new Set(pieces.map(({stream}) => stream).filter(stream => stream % 4 === 0));
      written.push([...requests]);
      return pieces.reduce((sum, {bytes}) => sum + bytes.length, 0);
    },
  };
  const ignored = () => undefined;
  const listener = {handleConnected: ignored, handleLost: ignored, handleResponse: ignored, handleStream: ignored};
  const http = new Http3(
    network,
    {client: 0, server: 1},
    {
      scheduler: 'round-robin',
      server: plainRules('round-robin', 3),
      earlyStreams: null,
      qpackTableBytes: 0,
      sendsRequestsApart: true,
      requestBytes: 100,
      respond: () => {
        throw new Error('no request arrives');
      },
      thinkNs: 0,
      listener,
    },
  );
  http.handle({type: 'connected', endpoint: 0, streams: 100}, 7);
  for (const object of [0, 1, 2]) http.request(object, `/${object}`);
  http.write(7);
  http.write(7);
  expect(written).toEqual([[0], [4]]);
  // the third request waits for the next call
  expect(http.pollTimeoutNs(7)).toBe(7);
  http.handle({type: 'closed', endpoint: 0, reason: 'data-timeout'}, 8);
  http.write(8);
  expect(http.pollTimeoutNs(8)).toBeUndefined();
  expect(written).toHaveLength(2);
});
