import {once} from 'node:events';
import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {AssociationLanes} from './associationLanes.ts';
import type {Lane} from './lane.ts';
import {SHIM_LIMITS} from './shimLimits.ts';
import {FRAMED, type Frame, type Framing, PLAIN} from './shimProtocol.ts';

const {windowBytes} = FRAMED;

/**
 * Creates the lanes of a near end and a far end, and records their messages in `sent`. Messages arrive in the next turn
 * of the event loop.
 */
function pair(framing: Framing = FRAMED, plainUnreadBytes = 1000) {
  const limits = {plainUnreadBytes, plainUnreadInAllBytes: 2 * plainUnreadBytes};
  const opened: Lane[] = [];
  const spoilt: string[] = [];
  const sent: {from: 'near' | 'far'; stream: number; message: Uint8Array}[] = [];
  const end = (from: 'near' | 'far', isFar: boolean): AssociationLanes => {
    const lanes: AssociationLanes = new AssociationLanes({
      framing,
      mostBytes: 1000,
      limits,
      send: (stream, message) => {
        sent.push({from, stream, message});
        setImmediate(() => (from === 'near' ? far : near).handleMessage(stream, message));
        return true;
      },
      wake: () => queueMicrotask(() => lanes.write()),
      ...(isFar ? {onLane: (lane: Lane) => opened.push(lane)} : {}),
      onSpoilt: () => spoilt.push(from),
      isUnderWay: () => false,
    });
    return lanes;
  };
  const near: AssociationLanes = end('near', false);
  const far: AssociationLanes = end('far', true);
  return {near, far, opened, spoilt, sent};
}

async function until(has: () => boolean): Promise<void> {
  for (let turns = 0; !has(); turns++) {
    if (turns > 10_000) throw new Error('it never is');
    await turn();
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`${index} of ${list.length}`);
  return found;
}

/** Reads a lane until the peer has ended it. The lane stays open for writing. */
async function all(lane: Lane): Promise<Buffer> {
  const pieces: Buffer[] = [];
  lane.on('data', (piece: Buffer) => pieces.push(piece));
  await once(lane, 'end');
  return Buffer.concat(pieces);
}

function framed(frame: Frame): Uint8Array {
  return FRAMED.encode(frame) ?? new Uint8Array();
}

function dataBytes(sent: readonly {message: Uint8Array; stream: number}[], stream: number): number {
  const data = sent.filter(each => each.stream === stream && each.message[0] === 0);
  return data.reduce((sum, {message}) => sum + message.length - 2, 0);
}

describe('a lane', () => {
  test('carries bytes in both directions, and closes when both ends have finished sending', async () => {
    const {near, far, opened} = pair();
    const lane = near.begin(1);
    lane.end('question');
    await until(() => opened.length === 1);
    expect((await all(at(opened, 0))).toString()).toBe('question');
    at(opened, 0).end('answer');
    expect((await all(lane)).toString()).toBe('answer');
    await until(() => near.open === 0 && far.open === 0);
  });

  test('without a reader receives one window of bytes, while other lanes are not affected', async () => {
    const {near, sent, opened} = pair();
    const [slow, other] = [near.begin(1), near.begin(2)];
    slow.end(Buffer.alloc(3 * windowBytes, 'a'));
    await until(() => dataBytes(sent, 1) >= windowBytes);
    other.end(Buffer.alloc(2 * windowBytes, 'b'));
    await until(() => opened.length === 2);
    expect((await all(at(opened, 1))).length).toBe(2 * windowBytes);
    expect(dataBytes(sent, 1)).toBe(windowBytes);
    expect((await all(at(opened, 0))).length).toBe(3 * windowBytes);
  });

  test('sends one message at a time, in turn with other lanes', async () => {
    const {near, sent} = pair();
    for (const stream of [1, 2]) near.begin(stream).end(Buffer.alloc(4 * 998));
    await until(() => sent.length === 10);
    expect(sent.map(({stream}) => stream)).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
  });

  test('that is closed early reports its reason, and its stream is free for another lane at once', async () => {
    const {near, far, opened, sent} = pair();
    const lane = near.begin(1);
    lane.write('first');
    await until(() => opened.length === 1);
    const told = once(at(opened, 0), 'error');
    lane.destroy(new Error('no more'));
    await until(() => !near.has(1));
    const next = near.begin(1);
    next.write('second');
    expect((await told)[0].message).toBe('no more');
    await until(() => opened.length === 2);
    const [piece] = await once(at(opened, 1), 'data');
    expect(`${piece}`).toBe('second');
    expect([near.open, far.open]).toEqual([1, 1]);
    // Late frames for the first lane do not affect the second.
    near.handleMessage(1, framed({type: 'data', life: lane.life, bytes: Buffer.from('late')}));
    near.handleMessage(1, framed({type: 'reset', life: lane.life, reason: ''}));
    expect([next.readableLength, next.destroyed]).toEqual([0, false]);
    expect(sent.filter(({message}) => message[0] === 2)).toHaveLength(1);
  });

  test('that the far end gives up is not opened again by data that is still under way', async () => {
    const {near, far, opened} = pair();
    const lane = near.begin(1);
    lane.write('a body that');
    await until(() => opened.length === 1);
    at(opened, 0).destroy(new Error('enough'));
    await until(() => far.open === 0);
    far.handleMessage(1, framed({type: 'data', life: lane.life, bytes: Buffer.from('GET / HTTP/1.1')}));
    expect([opened.length, far.open]).toEqual([1, 0]);
    // the next lane of the stream opens as usual
    await until(() => !near.has(1));
    near.begin(1).write('next');
    await until(() => opened.length === 2);
  });

  test('that was never used sends nothing when it closes', async () => {
    const {near, sent} = pair();
    near.begin(1).destroy();
    await until(() => near.open === 0);
    expect(sent).toEqual([]);
  });
});

describe('an end of an association', () => {
  test('throws if the peer sends more than was granted, or a message that is not a frame', async () => {
    const {near, far} = pair();
    const data = (bytes: number) => framed({type: 'data', life: 0, bytes: new Uint8Array(bytes)});
    far.handleMessage(1, data(windowBytes));
    expect(far.open).toBe(1);
    expect(() => far.handleMessage(1, data(1))).toThrow(`more bytes than the ${windowBytes} B that were granted`);
    expect(() => far.handleMessage(1, Uint8Array.of(77))).toThrow('not a frame');
    // A far end is not allowed to open lanes.
    near.handleMessage(1, data(1));
    expect(near.open).toBe(0);
  });

  test('answers a ping, but not while other messages wait to be acknowledged', () => {
    const sent: Uint8Array[] = [];
    let isUnderWay = false;
    const options = {framing: FRAMED, mostBytes: 1000, limits: SHIM_LIMITS, wake: () => undefined};
    const lanes = new AssociationLanes({
      ...options,
      onSpoilt: () => undefined,
      isUnderWay: () => isUnderWay,
      send: (_, message) => sent.push(message) > 0,
    });
    const asked = (): number => {
      for (let i = 0; i < 20_000; i++) lanes.handleMessage(0, framed({type: 'ping'}));
      lanes.write();
      return sent.length;
    };
    expect(asked()).toBe(1);
    expect(sent[0]).toEqual(framed({type: 'pong'}));
    isUnderWay = true;
    expect(asked()).toBe(1);
    isUnderWay = false;
    expect(asked()).toBe(2);
  });

  test('throws if a peer causes ever more answers and reads none', () => {
    const got: number[] = [];
    const options = {framing: FRAMED, mostBytes: 1000, limits: SHIM_LIMITS, wake: () => undefined};
    const lanes = new AssociationLanes({
      ...options,
      onSpoilt: () => undefined,
      isUnderWay: () => false,
      send: () => false,
      onLane: lane => void lane.destroy(),
    });
    const bytes = new Uint8Array(1);
    expect(() => {
      for (let i = 0; i < 20_000; i++, got.push(i))
        lanes.handleMessage(1, framed({type: 'data', life: i % 256, bytes}));
    }).toThrow('of them wait');
    expect(got.length).toBeLessThan(10_010);
  });

  test('ends all of its lanes when the association ends', async () => {
    const {near} = pair();
    const lane = near.begin(1);
    const told = once(lane, 'error');
    near.destroy(new Error('gone'));
    expect((await told)[0].message).toBe('gone');
    expect(near.open).toBe(0);
  });
});

describe('streams with plain HTTP', () => {
  test('carry bytes unchanged, and can be used again unless their lane was destroyed', async () => {
    const {near, far, opened, sent, spoilt} = pair(PLAIN);
    const lane = near.begin(1);
    lane.write('GET');
    await until(() => opened.length === 1);
    let [asked, answered] = ['', ''];
    at(opened, 0)
      .on('data', piece => (asked += piece))
      .write('200');
    lane.on('data', piece => (answered += piece));
    await until(() => answered === '200');
    expect(sent.map(({message}) => Buffer.from(message).toString())).toEqual(['GET', '200']);
    lane.end();
    await until(() => near.open === 0);
    const next = near.begin(1);
    next.write('GET');
    await until(() => asked === 'GETGET');
    expect(spoilt).toEqual([]);
    next.destroy();
    await until(() => near.open === 0);
    expect(spoilt).toEqual(['near']);
    expect(far.open).toBe(1);
  });

  test('join data that arrives one byte at a time, in order', async () => {
    const {near} = pair(PLAIN, 200_000);
    const lane = near.begin(1);
    const sent = Buffer.from(Array.from({length: 100_000}, (_, i) => i % 251));
    for (let i = 0; i < sent.length; i++) near.handleMessage(1, sent.subarray(i, i + 1));
    const pieces: Uint8Array[] = [];
    lane.on('data', piece => pieces.push(piece));
    await until(() => lane.unreadBytes === 0);
    await turn();
    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
    // Node holds 16 KiB in single bytes. The lane joins the rest.
    expect(pieces.length).toBeLessThan(16_384 + 100);
  });

  test('are closed if their unread bytes exceed the limit', async () => {
    const {near, spoilt} = pair(PLAIN, 100_000);
    const lane = near.begin(1);
    lane.write('GET');
    await turn();
    const told = once(lane, 'error');
    for (let i = 0; i < 20; i++) near.handleMessage(1, new Uint8Array(10_000));
    expect((await told)[0].message).toBe(
      'more than 100000 B of this stream or 200000 B of all streams wait to be read',
    );
    expect(spoilt).toEqual(['near']);
  });

  test('that exceed the limit for the unread bytes of all streams are closed, too', async () => {
    const {near, spoilt} = pair(PLAIN, 100_000);
    const lanes = [1, 2, 3, 4].map(stream => near.begin(stream));
    for (const lane of lanes) lane.write('GET');
    await turn();
    const told = once(at(lanes, 3), 'error');
    for (const [i] of lanes.entries()) near.handleMessage(i + 1, new Uint8Array(60_000));
    await told;
    expect(spoilt).toEqual(['near']);
    expect(lanes.map(({destroyed}) => destroyed)).toEqual([false, false, false, true]);
    // The closed lane has made room for more bytes.
    near.handleMessage(1, new Uint8Array(10_000));
    expect(lanes.map(({destroyed}) => destroyed)).toEqual([false, false, false, true]);
  });
});
