import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Field} from '../hpack/field.ts';
import {HpackEncoder} from '../hpack/hpackEncoder.ts';
import {type ErrorCode, H2ConnectionError} from './h2Error.ts';
import {
  encodeFrame,
  encodeGoaway,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  FLAG,
  FRAME,
  H2FrameReader,
  PREFACE,
  SETTING,
} from './h2Frame.ts';
import {H2Peer, type H2PeerOwner} from './h2Peer.ts';
import {ReceiveWindow} from './h2Window.ts';

const NOTHING = new Uint8Array(0);

describe('frames', () => {
  test('have the header of RFC 9113 §4.1, and can be read byte by byte', () => {
    expect([...encodeFrame(FRAME.ping, FLAG.ack, 0x1234567, Uint8Array.of(1, 2))]).toEqual([
      0, 0, 2, 6, 1, 1, 0x23, 0x45, 0x67, 1, 2,
    ]);
    expect([...encodeSettings([[SETTING.initialWindowSize, 0x01020304]])]).toEqual([
      0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4,
    ]);
    expect([...encodeRstStream(3, 'CANCEL')]).toEqual([0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8]);
    expect([...encodeWindowUpdate(5, 2 ** 31 - 1)].slice(9)).toEqual([127, 255, 255, 255]);
    expect([...encodeGoaway(7, 'ENHANCE_YOUR_CALM')].slice(9)).toEqual([0, 0, 0, 7, 0, 0, 0, 11]);
    const sent = Uint8Array.of(...encodeFrame(0, 1, 1, Uint8Array.of(9)), ...encodeFrame(77, 0, 0, NOTHING));
    const reader = new H2FrameReader();
    const found = Array.from(sent, byte => [...reader.push(Uint8Array.of(byte))]).flat();
    expect(found.map(({type, payload}) => [type, ...payload])).toEqual([[0, 9], [77]]);
  });

  test('of a large block are HEADERS with END_STREAM, followed by CONTINUATION', () => {
    const frames = [...new H2FrameReader().push(encodeHeaders(1, new Uint8Array(40_000), true, 16_384))];
    expect(frames.map(({type, flags, payload}) => [type, flags, payload.length])).toEqual([
      [FRAME.headers, FLAG.endStream, 16_384],
      [FRAME.continuation, 0, 16_384],
      [FRAME.continuation, FLAG.endHeaders, 7232],
    ]);
  });
});

const get: readonly Field[] = [[':method', 'GET']];
const settings = encodeSettings([]);
const headers = (stream: number, isEnd = true) => encodeHeaders(stream, new HpackEncoder().encode(get), isEnd, 16_384);
const data = (stream: number, bytes: number, flags = 0) =>
  encodeFrame(FRAME.data, flags, stream, new Uint8Array(bytes));
const window = (value: number) => encodeSettings([[SETTING.initialWindowSize, value]]);

describe('a server ends the connection', () => {
  test.each<[ErrorCode, string, readonly Uint8Array[]]>([
    ['PROTOCOL_ERROR', 'if the first frame is not SETTINGS (§3.4)', [headers(1)]],
    ['FRAME_SIZE_ERROR', 'for a frame larger than 16 KB (§4.2)', [settings, Uint8Array.of(0, 64, 1, ...header(0))]],
    ['PROTOCOL_ERROR', 'for DATA on stream 0 (§6.1)', [settings, data(0, 1)]],
    ['PROTOCOL_ERROR', 'for DATA on an idle stream (§5.1)', [settings, data(1, 1)]],
    [
      'PROTOCOL_ERROR',
      'for padding that is longer than the payload (§6.1)',
      [settings, headers(1, false), data(1, 0, 0), padded(1, 5, 4)],
    ],
    ['PROTOCOL_ERROR', 'for an even stream number (§5.1.1)', [settings, headers(2)]],
    ['STREAM_CLOSED', 'for HEADERS after END_STREAM (§5.1)', [settings, headers(1), headers(1)]],
    ['STREAM_CLOSED', 'for a new stream with a lower number (§5.1.1)', [settings, headers(3), headers(1)]],
    ['FRAME_SIZE_ERROR', 'for a RST_STREAM of 3 bytes (§6.4)', [settings, frame(FRAME.rstStream, 1, 3)]],
    ['PROTOCOL_ERROR', 'for a RST_STREAM on an idle stream (§6.4)', [settings, encodeRstStream(1, 'CANCEL')]],
    ['FRAME_SIZE_ERROR', 'for an incomplete setting (§6.5)', [settings, frame(FRAME.settings, 0, 7)]],
    [
      'FRAME_SIZE_ERROR',
      'for a SETTINGS acknowledgement with a payload (§6.5)',
      [settings, frame(FRAME.settings, 0, 6, FLAG.ack)],
    ],
    ['PROTOCOL_ERROR', 'for SETTINGS on stream 1 (§6.5)', [settings, frame(FRAME.settings, 1, 0)]],
    ['PROTOCOL_ERROR', 'for ENABLE_PUSH 2 (§6.5.2)', [encodeSettings([[SETTING.enablePush, 2]])]],
    ['PROTOCOL_ERROR', 'for MAX_FRAME_SIZE below 16,384 (§6.5.2)', [encodeSettings([[SETTING.maxFrameSize, 16_383]])]],
    ['FLOW_CONTROL_ERROR', 'for INITIAL_WINDOW_SIZE above 2^31 − 1 (§6.5.2)', [window(2 ** 31)]],
    [
      'FLOW_CONTROL_ERROR',
      'for SETTINGS that make a stream’s window too large (§6.9.2)',
      [settings, headers(1), encodeWindowUpdate(1, 2 ** 31 - 1 - 65_535), window(65_536)],
    ],
    ['PROTOCOL_ERROR', 'for PUSH_PROMISE (§8.4)', [settings, frame(FRAME.pushPromise, 1, 4)]],
    ['FRAME_SIZE_ERROR', 'for a PING of 7 bytes (§6.7)', [settings, frame(FRAME.ping, 0, 7)]],
    ['FRAME_SIZE_ERROR', 'for a GOAWAY of 7 bytes (§6.8)', [settings, frame(FRAME.goaway, 0, 7)]],
    ['PROTOCOL_ERROR', 'for a WINDOW_UPDATE by 0 (§6.9)', [settings, encodeWindowUpdate(0, 0)]],
    [
      'FLOW_CONTROL_ERROR',
      'for a WINDOW_UPDATE that makes the window too large (§6.9.1)',
      [settings, encodeWindowUpdate(0, 2 ** 31 - 1)],
    ],
    [
      'FLOW_CONTROL_ERROR',
      'for DATA that exceeds the connection’s window (§6.9.1)',
      [settings, headers(1, false), data(1, 5000), data(1, 8000)],
    ],
    [
      'PROTOCOL_ERROR',
      'for a frame that interrupts a field block (§6.10)',
      [settings, begun(1), frame(FRAME.ping, 0, 8)],
    ],
    [
      'PROTOCOL_ERROR',
      'for a CONTINUATION on another stream (§6.10)',
      [settings, begun(1), frame(FRAME.continuation, 3, 1)],
    ],
    ['PROTOCOL_ERROR', 'for a CONTINUATION without HEADERS (§6.10)', [settings, frame(FRAME.continuation, 1, 1)]],
    ['COMPRESSION_ERROR', 'for an invalid field block (§4.3)', [settings, frame(FRAME.headers, 1, 1, FLAG.endHeaders)]],
    [
      'ENHANCE_YOUR_CALM',
      'for a field block with too many bytes (§10.5.1)',
      [settings, begun(1), ...Array.from({length: 3}, () => frame(FRAME.continuation, 1, 10_000))],
    ],
    [
      'ENHANCE_YOUR_CALM',
      'for a field block with too many frames (§10.5.1)',
      [settings, begun(1), ...Array.from({length: 101}, () => frame(FRAME.continuation, 1, 0))],
    ],
    [
      'ENHANCE_YOUR_CALM',
      'for too many unanswered PINGs (§10.5)',
      [settings, ...Array.from({length: 10_001}, () => frame(FRAME.ping, 0, 8))],
    ],
    [
      'PROTOCOL_ERROR',
      'for a PRIORITY_UPDATE for stream 0 (RFC 9218 §7.1)',
      [settings, frame(FRAME.priorityUpdate, 0, 5)],
    ],
  ])('with %s %s', (code, _, sent) => {
    const {reported, frames} = serverAfter(sent);
    expect(reported.at(-1)).toBe(`broken ${code}`);
    const [type, , , ...payload] = frames.at(-1) ?? [];
    expect(type).toBe(FRAME.goaway);
    expect(payload.slice(4)).toEqual([...encodeGoaway(0, code).slice(13)]);
  });

  test('if it does not begin with the preface, and then ignores all bytes', () => {
    const {peer, reported} = newPeer('server');
    peer.handleBytes(Uint8Array.from('GET / HTTP/1.1\r\n', character => character.charCodeAt(0)));
    expect(reported).toEqual(['broken PROTOCOL_ERROR']);
    drained(peer);
    peer.handleBytes(Uint8Array.of(...PREFACE, ...settings));
    expect(drained(peer)).toEqual([]);
  });
});

describe('a server resets one stream and continues', () => {
  const ping = frame(FRAME.ping, 0, 8);
  const pong = [FRAME.ping, FLAG.ack, 0, ...new Uint8Array(8)];

  test.each<[ErrorCode, string, readonly Uint8Array[]]>([
    [
      'FLOW_CONTROL_ERROR',
      'for a WINDOW_UPDATE that makes the window too large (§6.9.1)',
      [headers(1), encodeWindowUpdate(1, 2 ** 31 - 1)],
    ],
    ['PROTOCOL_ERROR', 'for a WINDOW_UPDATE by 0 (§6.9)', [headers(1), encodeWindowUpdate(1, 0)]],
    ['FRAME_SIZE_ERROR', 'for a PRIORITY of 4 bytes (§6.3)', [headers(1), frame(FRAME.priority, 1, 4)]],
    [
      'ENHANCE_YOUR_CALM',
      'for fields that are too large (§10.5.1)',
      [encodeHeaders(1, new HpackEncoder().encode(Array.from({length: 700}, () => ['a', 'b'])), true, 16_384)],
    ],
    [
      'FLOW_CONTROL_ERROR',
      'for DATA that exceeds the stream’s window (§6.9.1)',
      [headers(1, false), data(1, 4000), data(1, 7000)],
    ],
  ])('with %s %s', (code, _, sent) => {
    const {reported, frames} = serverAfter([settings, ...sent, ping]);
    expect(reported.at(-1)).toBe(`reset 1 ${code}`);
    expect(frames.slice(-2)).toEqual([[FRAME.rstStream, 0, 1, ...encodeRstStream(1, code).slice(9)], pong]);
  });

  test('and ignores frames that were in flight on the reset stream', () => {
    const {reported} = serverAfter([
      settings,
      headers(1, false),
      encodeWindowUpdate(1, 0),
      data(1, 10),
      encodeWindowUpdate(1, 9),
    ]);
    expect(reported).toEqual(['fields 1', 'reset 1 PROTOCOL_ERROR']);
  });

  test('and remembers only the last 128 streams that it reset', () => {
    const ended = Array.from({length: 129}, (_, i) => [headers(2 * i + 1, false), encodeWindowUpdate(2 * i + 1, 0)]);
    const hear = (late: number) => serverAfter([settings, ...ended.flat(), data(late, 1)]).reported.at(-1);
    expect([hear(257), hear(3)]).toEqual(['reset 257 PROTOCOL_ERROR', 'reset 257 PROTOCOL_ERROR']);
    expect(hear(1)).toBe('broken STREAM_CLOSED');
  });

  test('if the stream exceeds the announced limit of concurrent streams (§5.1.2)', () => {
    const opened = Array.from({length: 129}, (_, i) => headers(2 * i + 1, false));
    const {reported, frames} = serverAfter([settings, ...opened, ping]);
    expect(reported).toEqual(Array.from({length: 128}, (_, i) => `fields ${2 * i + 1}`));
    expect(frames.slice(-2)).toEqual([
      [FRAME.rstStream, 0, 257, ...encodeRstStream(257, 'REFUSED_STREAM').slice(9)],
      pong,
    ]);
  });
});

describe('windows', () => {
  test('are updated when half of them is used, for streams and for the connection', () => {
    const receive = new ReceiveWindow(100);
    expect([receive.take(49), receive.pollUpdate(), receive.take(1), receive.pollUpdate()]).toEqual([
      true,
      0,
      true,
      50,
    ]);
    expect([receive.take(100), receive.take(1)]).toEqual([true, false]);
    const {frames} = serverAfter([
      settings,
      headers(1, false),
      data(1, 6000),
      data(1, 4000),
      data(1, 3000, FLAG.endStream),
    ]);
    expect(frames.filter(([type]) => type === FRAME.windowUpdate)).toEqual([
      [FRAME.windowUpdate, 0, 0, ...encodeWindowUpdate(0, 6000).slice(9)],
      [FRAME.windowUpdate, 0, 1, ...encodeWindowUpdate(1, 6000).slice(9)],
      [FRAME.windowUpdate, 0, 0, ...encodeWindowUpdate(0, 7000).slice(9)],
    ]);
  });

  test('limit the data sent: those of the stream and of the connection, even if settings shrink them', () => {
    const {peer} = newPeer('server');
    peer.handleBytes(Uint8Array.of(...PREFACE, ...settings, ...headers(1), ...window(100), ...headers(3)));
    expect([peer.dataRoom(1), peer.dataRoom(3), peer.dataRoom(5)]).toEqual([100, 100, 0]);
    peer.sealData(1, new Uint8Array(60), false);
    expect(peer.dataRoom(1)).toBe(40);
    peer.handleBytes(window(50));
    expect([peer.dataRoom(1), peer.dataRoom(3)]).toEqual([0, 50]);
    peer.handleBytes(encodeWindowUpdate(1, 1e6));
    expect(peer.dataRoom(1)).toBe(16_384);
    for (let sent = 60; sent < 65_535; sent += 5000)
      peer.sealData(1, new Uint8Array(Math.min(5000, 65_535 - sent)), false);
    expect(peer.dataRoom(1)).toBe(0);
    peer.handleBytes(encodeWindowUpdate(0, 7));
    expect(peer.dataRoom(1)).toBe(7);
  });
});

test('unknown frames are ignored (§5.5)', () => {
  const {reported} = serverAfter([
    settings,
    frame(99, 5, 30),
    encodeSettings([[77, 1]]),
    headers(1),
    frame(FRAME.priority, 9, 5),
  ]);
  expect(reported).toEqual(['fields 1']);
});

test('arbitrary bytes after the preface only end streams or the connection', () => {
  const some = fc.oneof(
    fc.uint8Array({maxLength: 40}),
    fc
      .record({
        type: fc.integer({min: 0, max: 17}),
        flags: fc.integer({min: 0, max: 255}),
        stream: fc.integer({min: 0, max: 5}),
        payload: fc.uint8Array({maxLength: 30}),
      })
      .map(({type, flags, stream, payload}) => encodeFrame(type, flags, stream, payload)),
    fc.constantFrom(headers(1), headers(3, false), data(3, 100)),
  );
  fc.assert(
    fc.property(
      fc.constantFrom('client' as const, 'server' as const),
      fc.array(some, {maxLength: 12}),
      (role, pieces) => {
        const {peer, reported} = newPeer(role);
        if (role === 'client') peer.openStream();
        else peer.handleBytes(PREFACE);
        for (const piece of [settings, ...pieces]) peer.handleBytes(piece);
        const broken = reported.findIndex(text => text.startsWith('broken'));
        expect([-1, reported.length - 1]).toContain(broken);
      },
    ),
    {numRuns: 500},
  );
});

function serverAfter(sent: readonly Uint8Array[]) {
  const {peer, reported} = newPeer('server');
  for (const bytes of [PREFACE, ...sent]) peer.handleBytes(bytes);
  return {reported, frames: drained(peer)};
}

function newPeer(role: 'client' | 'server') {
  const reported: string[] = [];
  const owner: H2PeerOwner = {
    objectOf: () => null,
    handleFields: stream => reported.push(`fields ${stream}`),
    handleData: () => {},
    handleReset: (stream, code) => reported.push(`reset ${stream} ${code}`),
    handleGoaway: () => {},
    handleBroken: error => {
      expect(error).toBeInstanceOf(H2ConnectionError);
      reported.push(`broken ${error.code}`);
    },
    handleDependency: () => {},
    handlePriority: () => {},
  };
  const peer = new H2Peer({
    role,
    owner,
    settings: [],
    tableBytes: 4096,
    listBytes: 20_000,
    streamWindowBytes: 10_000,
    connectionWindowBytes: 12_000,
  });
  return {peer, reported};
}

/** Returns the frames to write. Each is a list of type, flags, stream and the bytes of the payload. */
function drained(peer: H2Peer): readonly (readonly number[])[] {
  const reader = new H2FrameReader();
  const frames: number[][] = [];
  for (let next = peer.pollFrames(); next !== undefined; next = peer.pollFrames()) {
    for (const {type, flags, stream, payload} of reader.push(next.bytes))
      frames.push([type, flags, stream, ...payload]);
  }
  return frames;
}

function frame(type: number, stream: number, bytes: number, flags = 0): Uint8Array {
  return encodeFrame(type, flags, stream, new Uint8Array(bytes));
}

/** Returns HEADERS without END_HEADERS, which begin a field block. */
function begun(stream: number): Uint8Array {
  return frame(FRAME.headers, stream, 0);
}

function padded(stream: number, padding: number, bytes: number): Uint8Array {
  return encodeFrame(FRAME.data, FLAG.padded, stream, Uint8Array.of(padding, ...new Uint8Array(bytes)));
}

function header(stream: number): readonly number[] {
  return [FRAME.data, 0, 0, 0, 0, stream];
}
