import {expect, test} from 'vitest';
import {plainRules} from '../serverRules.ts';
import type {Piece, TcpTransports, TransportEvent} from '../transports.ts';
import {Http2} from './http2.ts';

const FIRST = {client: 0, server: 1};
const SPARE = {client: 2, server: 3, isSpare: true} as const;
const MS = 1e6;
/** A SETTINGS frame without settings (RFC 9113 §6.5). */
const SETTINGS = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0);

function opened(connections: readonly (typeof FIRST | typeof SPARE)[] = [FIRST, SPARE]) {
  const log: string[] = [];
  const network: TcpTransports = {
    openTcp: () => FIRST,
    connect: endpoint => log.push(`connect ${endpoint}`),
    read: () => SETTINGS,
    write: (endpoint, _stream, pieces: readonly Piece[]) => {
      log.push(`write ${endpoint}`);
      return pieces.reduce((sum, {bytes}) => sum + bytes.length, 0);
    },
  };
  const exchange = new Http2(network, connections, {
    respond: () => undefined as never,
    requestBytes: 200,
    thinkNs: 0,
    scheduler: 'round-robin',
    server: plainRules('round-robin', 2),
    scheme: 'https',
    backupNs: 250 * MS,
    listener: {
      handleConnected: connection => log.push(`connected ${connection}`),
      handleLost: reason => log.push(`lost: ${reason}`),
      handleResponse: (object, event) => log.push(`${object} ${event.type}`),
      handleStream: () => undefined,
    },
  });
  const at = (ms: number, event?: TransportEvent): readonly string[] => {
    if (event !== undefined) exchange.handle(event, ms * MS);
    exchange.write(ms * MS);
    return log.splice(0);
  };
  return {exchange, at};
}

const connected = (endpoint: number): TransportEvent => ({type: 'connected', endpoint, streams: 1});
const readable = (endpoint: number): TransportEvent => ({type: 'readable', endpoint, stream: 0});
const closed = (endpoint: number): TransportEvent => ({type: 'closed', endpoint, reason: 'timeout'});

test('the spare connection is opened if the first one is not established in time, and has the requests if it is ready first', () => {
  const {exchange, at} = opened();
  exchange.start();
  exchange.request(0, '/');
  expect(at(10)).toEqual(['connect 0']);
  expect(exchange.pollTimeoutNs(10 * MS)).toBe(260 * MS);
  expect(at(259)).toEqual([]);
  expect(at(260)).toEqual(['connect 2']);
  expect(exchange.pollTimeoutNs(260 * MS)).toBeUndefined();
  expect(at(500, connected(2))).toEqual(['connected 1', 'write 2']);
  // nothing is requested on the first one, and its end does not matter
  expect(at(1400, connected(0))).toEqual([]);
  expect(at(1500, closed(0))).toEqual([]);
  expect(exchange.hasEnded(client => client === 0)).toBe(false);
  expect(at(1600, closed(2))).toEqual(['0 gone']);
  expect(exchange.hasEnded(client => client === 2)).toBe(true);
});

test('both servers send their settings, and the client reads those of the connection that it uses', () => {
  const {exchange, at} = opened();
  exchange.start();
  exchange.request(0, '/');
  at(0);
  at(250);
  at(500, connected(2));
  expect(at(550, connected(3))).toEqual(['write 3']);
  expect(at(600, connected(1))).toEqual(['write 1']);
  expect(at(650, readable(0))).toEqual([]);
  // the client acknowledges settings
  expect(at(700, readable(2))).toEqual(['write 2']);
});

test.each(['established', 'connected'] as const)(
  'the spare connection is not opened once the first one is %s',
  type => {
    const {exchange, at} = opened();
    exchange.start();
    at(10);
    exchange.handle({type, endpoint: 0, streams: 1}, 200 * MS);
    at(200);
    expect(exchange.pollTimeoutNs(200 * MS)).toBeUndefined();
    expect(at(300)).toEqual([]);
  },
);

test('the load is lost when no connection that was opened can become ready', () => {
  const both = opened();
  both.exchange.start();
  both.exchange.request(0, '/');
  both.at(0);
  expect(both.at(250)).toEqual(['connect 2']);
  expect(both.at(300, closed(0))).toEqual([]);
  expect(both.at(400, closed(2))).toEqual(['0 gone']);
  const early = opened();
  early.exchange.start();
  early.exchange.request(0, '/');
  early.at(0);
  expect(early.at(100, closed(0))).toEqual(['0 gone']);
  expect(early.exchange.hasEnded(client => client === 0)).toBe(true);
  // a refused connection needs no second one
  expect(early.at(300)).toEqual([]);
});

test('without a spare connection, no second connection is opened', () => {
  const {exchange, at} = opened([FIRST]);
  exchange.start();
  expect(at(0)).toEqual(['connect 0']);
  expect(at(1000)).toEqual([]);
});
