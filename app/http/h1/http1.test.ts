import {expect, test} from 'vitest';
import type {ExchangeListener} from '../exchange.ts';
import {OriginsExchange} from '../origins.ts';
import type {Transports} from '../transports.ts';
import {Http1} from './http1.ts';

test('if a place that is not the first is lost, its waiting request fails and opens no further connection', () => {
  const {exchange, connected, gone} = open();
  exchange.request(1, '/1');
  exchange.write(0);
  expect(connected).toEqual([2]);
  exchange.handle({type: 'closed', endpoint: 2, reason: 'refused'}, 1);
  exchange.write(1);
  expect(connected).toEqual([2]);
  expect(gone).toEqual(['1 refused']);
});

test('a request after the loss of its place opens another connection', () => {
  const {exchange, connected, gone} = open();
  exchange.request(1, '/1');
  exchange.write(0);
  exchange.handle({type: 'closed', endpoint: 2, reason: 'refused'}, 1);
  exchange.request(2, '/2');
  exchange.write(1);
  expect(connected).toEqual([2, 4]);
  exchange.handle({type: 'closed', endpoint: 4, reason: 'refused'}, 2);
  expect(gone).toEqual(['1 refused', '2 refused']);
});

/**
 * Opens an exchange with two places, each with HTTP/1.1 and one request at a time on each connection. Place 0 has the
 * client 0, and place 1 the clients 2 and 4. All objects except 0 are requested at place 1.
 */
function open() {
  const [connected, gone]: [number[], string[]] = [[], []];
  const listener: ExchangeListener = {
    handleConnected: () => {},
    handleLost: () => {},
    handleResponse: (object, event) => {
      if (event.type === 'gone') gone.push(`${object} ${event.reason}`);
    },
    handleStream: () => {},
  };
  const network = {connect: (endpoint: number) => void connected.push(endpoint)} as unknown as Transports;
  const places = {
    places: [{hostNumber: 0}, {hostNumber: 1}],
    targetOf: (object: number) => ({place: Math.min(object, 1), host: `${Math.min(object, 1)}`}),
    targetAt: () => undefined,
    dnsNs: 0,
  };
  const exchange = new OriginsExchange(network, places, listener, (over, ofPlace, place) => {
    const clients = place === 0 ? [0] : [2, 4];
    const wire = {
      connections: clients.map(client => ({client, server: client + 1})),
      requests: 'when-free',
      framing: {mode: 'sequential', isTagged: false, pieceBytes: 1e9, largestPieceBytes: 1e9},
      send: () => 0,
      receive: () => undefined,
    } as const;
    const respond = () => ({object: 0, status: 200, statusText: 'OK', contentType: 'a/b', headerBytes: 0, body: NONE});
    return new Http1(over, wire, {respond, thinkNs: 0, requestBytes: 100, listener: ofPlace});
  });
  return {exchange, connected, gone};
}

const NONE = new Uint8Array(0);
