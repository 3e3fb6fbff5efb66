import {describe, expect, test} from 'vitest';
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

describe('a backup connection', () => {
  test('is started if the first connection is not established in time, and the one that is ready first is used', () => {
    const {exchange, connected, sent} = open(250);
    exchange.request(1, '/1');
    exchange.write(10);
    expect(exchange.pollTimeoutNs(10)).toBe(260);
    exchange.write(259);
    expect(connected).toEqual([2]);
    exchange.write(260);
    expect(connected).toEqual([2, 4]);
    expect(exchange.pollTimeoutNs(260)).toBeUndefined();
    exchange.handle({type: 'connected', endpoint: 4, streams: 1}, 300);
    exchange.write(300);
    exchange.handle({type: 'connected', endpoint: 2, streams: 1}, 400);
    exchange.write(400);
    expect(sent).toEqual(['1 on 4']);
  });

  test.each(['established', 'connected'] as const)('is not started once the first connection is %s', type => {
    const {exchange, connected} = open(250);
    exchange.request(1, '/1');
    exchange.write(10);
    exchange.handle({type, endpoint: 2, streams: 1}, 200);
    exchange.write(200);
    expect(exchange.pollTimeoutNs(200)).toBeUndefined();
    exchange.write(300);
    expect(connected).toEqual([2]);
  });

  test('is not started if another connection was started for a second request', () => {
    const {exchange, connected} = open(250);
    exchange.request(1, '/1');
    exchange.request(2, '/2');
    exchange.write(10);
    expect(connected).toEqual([2, 4]);
    expect(exchange.pollTimeoutNs(10)).toBeUndefined();
  });

  test('is not started if no time for it is configured', () => {
    const {exchange, connected} = open();
    exchange.request(1, '/1');
    exchange.write(10);
    expect(exchange.pollTimeoutNs(10)).toBeUndefined();
    exchange.write(1000);
    expect(connected).toEqual([2]);
  });
});

/**
 * Opens an exchange with two places, each with HTTP/1.1 and one request at a time on each connection. Place 0 has the
 * client 0, and place 1 the clients 2 and 4. All objects except 0 are requested at place 1.
 */
function open(backupNs?: number) {
  const [connected, gone, sent]: [number[], string[], string[]] = [[], [], []];
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
      ...(backupNs !== undefined && {backupNs}),
      send: (endpoint: number, _stream: number, bytes: Uint8Array, object: number | null) => {
        sent.push(`${object} on ${endpoint}`);
        return bytes.length;
      },
      receive: () => undefined,
    } as const;
    const respond = () => ({object: 0, status: 200, statusText: 'OK', contentType: 'a/b', headerBytes: 0, body: NONE});
    return new Http1(over, wire, {respond, thinkNs: 0, requestBytes: 100, listener: ofPlace});
  });
  return {exchange, connected, gone, sent};
}

const NONE = new Uint8Array(0);
