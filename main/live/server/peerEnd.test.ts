import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {AppEvent} from '../../../native/addon/index.js';
import {PeerEnd} from './peerEnd.ts';

const CLOSED: AppEvent = {endpoint: 1, type: 'closed', reason: 'finished'};
const PEER_CLOSED: AppEvent = {endpoint: 1, type: 'peer-closed'};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Creates a peer with a fake transport, which reports the given events and sends the given packets, one batch at a
 * time. `done` is the log of all calls.
 */
function made({
  events = [],
  packets = [],
  timeoutsNs = [],
}: {
  events?: AppEvent[][];
  packets?: string[];
  timeoutsNs?: number[];
} = {}) {
  const done: string[] = [];
  const note = (what: string) => (): void => void done.push(what);
  let nowNs = 0;
  const clock = (): number => nowNs;
  const end = {
    handlePacket: vi.fn(note('packet')),
    handleTimeout: vi.fn((at: number): void => void done.push(`timeout at ${at}`)),
    pollEvents: vi.fn(() => events.shift() ?? []),
    pollTransmit: vi.fn(() => packets.splice(0, 1).map(text => Buffer.from(text))),
    get nextTimeoutNs(): number {
      return timeoutsNs.shift() ?? Number.POSITIVE_INFINITY;
    },
    abort: vi.fn(note('abort')),
    free: vi.fn(note('free')),
  };
  const options = {
    clock,
    send: (sent: readonly Uint8Array[]) => void done.push(...sent.map(packet => `send ${packet}`)),
    onEvent: vi.fn(({type}: AppEvent): void => void done.push(type)),
    write: note('write'),
    onEnd: note('end'),
  };
  const peer = new PeerEnd(end, options);
  const wait = (ms: number): void => {
    nowNs += ms * 1e6;
    vi.advanceTimersByTime(ms);
  };
  return {end, options, peer, done, wait};
}

function failing(): never {
  throw new Error('netsim panicked');
}

describe('an error ends the peer, once, even if its transport cannot be freed:', () => {
  test.each(['handlePacket', 'pollEvents', 'pollTransmit', 'abort', 'nextTimeoutNs'] as const)('in %s', by => {
    const {end, peer, done, wait} = made();
    if (by === 'nextTimeoutNs') Object.defineProperty(end, by, {get: failing});
    else end[by].mockImplementation(failing);
    end.free.mockImplementation(failing);
    peer.handlePacket(Buffer.alloc(1));
    peer.abort();
    expect(done.filter(what => what === 'end')).toEqual(['end']);
    const calls = end.pollEvents.mock.calls.length;
    peer.go();
    peer.end();
    wait(1000);
    expect(end.pollEvents).toHaveBeenCalledTimes(calls);
    expect(end.free).toHaveBeenCalledTimes(1);
    expect(done.filter(what => what === 'end')).toEqual(['end']);
  });

  test('in the timer', () => {
    const {end, peer, done, wait} = made({timeoutsNs: [1e6]});
    end.handleTimeout.mockImplementation(failing);
    end.free.mockImplementation(failing);
    peer.go();
    wait(1);
    expect(done).toEqual(['write', 'end']);
  });

  test('in a listener', () => {
    const {options, peer, done} = made({events: [[PEER_CLOSED]]});
    options.onEvent.mockImplementation(failing);
    peer.go();
    expect(done).toEqual(['free', 'end']);
  });
});

describe('a peer', () => {
  test('is polled until it has no more events or packets', () => {
    const {peer, done} = made({events: [[], [PEER_CLOSED]], packets: ['a', 'b']});
    peer.handlePacket(Buffer.alloc(1));
    expect(done).toEqual(['packet', 'write', 'send a', 'peer-closed', 'write', 'send b', 'write']);
    const telling = made({events: [[PEER_CLOSED], [PEER_CLOSED]]});
    telling.peer.go();
    expect(telling.done).toEqual(['peer-closed', 'write', 'peer-closed', 'write', 'write']);
  });

  test('whose transport has closed writes nothing more, and its last packets are still sent', () => {
    const {peer, done} = made({events: [[CLOSED]], packets: ['last', 'no more']});
    peer.abort();
    expect(done).toEqual(['abort', 'closed', 'send last', 'free', 'end']);
  });

  test('that is told to finish still writes and sends packets before it ends', () => {
    const {options, peer, done} = made({events: [[PEER_CLOSED]], packets: ['last', 'no more']});
    options.onEvent.mockImplementation(() => peer.finish());
    peer.go();
    expect(done).toEqual(['write', 'send last', 'free', 'end']);
  });

  test('that is ended by one of its own events sends nothing', () => {
    const {options, peer, done} = made({events: [[PEER_CLOSED]], packets: ['a']});
    options.onEvent.mockImplementation(() => peer.end());
    peer.go();
    expect(done).toEqual(['free', 'end']);
  });

  test('has a single timer, which fires when it is due, rounded up to whole milliseconds', () => {
    const {peer, done, wait} = made({timeoutsNs: [5e6, 2_000_001, 2.5e6]});
    peer.go();
    peer.go();
    wait(2);
    expect(done).toEqual(['write', 'write']);
    wait(1);
    // The next timeout has already passed, so the timer fires at once.
    wait(1);
    expect(done.slice(2)).toEqual(['timeout at 3000000', 'write', 'timeout at 4000000', 'write']);
    wait(100);
    expect(done).toHaveLength(6);
  });

  test('that was ended has no timer', () => {
    const {peer, done} = made({timeoutsNs: [5e6]});
    peer.go();
    expect(vi.getTimerCount()).toBe(1);
    peer.end();
    expect(vi.getTimerCount()).toBe(0);
    expect(done).toEqual(['write', 'free', 'end']);
  });
});
