import {createHash} from 'node:crypto';
import {setTimeout as wait} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {AppEvent, Association} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {SctpClient} from '../client/sctpClient.ts';
import {SctpServer} from '../server/sctpServer.ts';
import {SERVER_LIMITS} from '../server/serverLimits.ts';
import {FarPeer} from './farPeer.ts';
import type {Lane} from './lane.ts';
import {SHIM_LIMITS} from './shimLimits.ts';
import {CONTROL_STREAM, FRAMED, hello} from './shimProtocol.ts';

const ALL = Buffer.alloc(600_000, 'what nobody reads yet ');
const HELD_BYTES = 50_000;

test('data that nobody reads waits at its sender, and all of it arrives when it is read', async () => {
  const lanes: Lane[] = [];
  const clock = startClock();
  const buffers = {bufferBytes: 1024 * 1024, receiveBytes: 1024 * 1024};
  const server = new SctpServer(
    {limits: {...SERVER_LIMITS, ...buffers}, clock},
    '127.0.0.1',
    (association, peerOptions) =>
      new FarPeer(
        association,
        {
          // The lane would be closed if more than `plainUnreadInAllBytes` arrived.
          limits: {...SHIM_LIMITS, heldBytes: HELD_BYTES, plainUnreadInAllBytes: 4 * HELD_BYTES},
          clock,
          isRight: undefined,
          onLane: lane => void lanes.push(lane),
        },
        peerOptions,
      ),
  );
  const port = await server.listen(0);
  let isConnected = false;
  const client = new SctpClient({
    host: '127.0.0.1',
    port,
    clock,
    record: {},
    sctp: {profile: 'modern', streams: 4},
    onEvents: events => {
      isConnected ||= events.some(({type}) => type === 'connected');
    },
    onError: () => undefined,
  });
  client.connect();
  let sent = 0;
  const sending = setInterval(() => {
    if (!isConnected) return;
    const most = client.association.maxMessageInPacketBytes();
    while (sent < ALL.length && client.association.send(1, ALL.subarray(sent, sent + most)))
      sent = Math.min(ALL.length, sent + most);
    client.go();
  }, 5);
  const unread = (): number => lanes[0]?.unreadBytes ?? 0;
  while (unread() <= HELD_BYTES && lanes[0]?.destroyed !== true) await wait(5);
  await wait(300);
  expect(unread()).toBeLessThan(2 * HELD_BYTES);
  const hash = createHash('sha256');
  let read = 0;
  lanes[0]?.on('data', (piece: Uint8Array) => {
    read += piece.length;
    hash.update(piece);
  });
  while (read < ALL.length && lanes[0]?.destroyed !== true) await wait(5);
  clearInterval(sending);
  client.close();
  await server.close();
  expect(lanes).toHaveLength(1);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(ALL).digest('hex'));
}, 60_000);

test('thousands of pings get one answer until that answer is acknowledged', async () => {
  const events: AppEvent[] = [];
  let [sent, unacknowledged] = [0, 0];
  const association = {
    handlePacket: () => undefined,
    handleTimeout: () => undefined,
    pollTransmit: () => [],
    pollEvents: () => events.splice(0),
    nextTimeoutNs: Number.POSITIVE_INFINITY,
    abort: () => undefined,
    free: () => undefined,
    maxMessageInPacketBytes: () => 1000,
    bufferedBytes: () => unacknowledged,
    send: (_: number, {length}: Uint8Array): boolean => {
      sent += 1;
      unacknowledged += length;
      return true;
    },
  } as unknown as Association;
  const peer = new FarPeer(
    association,
    {clock: () => 0, limits: SHIM_LIMITS, isRight: undefined, onLane: () => undefined},
    {tag: 1, address: '192.0.2.1', send: () => undefined, onEnd: () => undefined},
  );
  const said = async (bytes: Uint8Array): Promise<number> => {
    events.push({type: 'message', endpoint: 0, stream: CONTROL_STREAM, bytes: Buffer.from(bytes)});
    peer.handlePacket(Buffer.alloc(0));
    await null;
    return sent;
  };
  expect(await said(hello('a', undefined))).toBe(1);
  const ping = FRAMED.encode({type: 'ping'}) ?? Buffer.alloc(0);
  for (let i = 0; i < 1000; i++) expect(await said(ping)).toBe(1);
  unacknowledged = 0;
  for (let i = 0; i < 1000; i++) expect(await said(ping)).toBe(2);
});
