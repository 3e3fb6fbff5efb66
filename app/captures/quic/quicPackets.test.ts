import {expect, test} from 'vitest';
import {type CapturedFrame, capturedFrame} from './capturedFrame.ts';
import {fatesOf, type QuicDatagram, type QuicPacket, quicPackets} from './quicPackets.ts';

function packet(
  number: number | null,
  frames: readonly CapturedFrame[],
  space: QuicPacket['space'] = 'application',
): QuicPacket {
  return {space, number, frames};
}

function datagram(direction: 'down' | 'up', ...packets: readonly QuicPacket[]): QuicDatagram {
  return {atNs: 0, direction, bytes: 100, ecn: 0, known: undefined, packets};
}

function ack(...ranges: readonly (readonly [number, number])[]): CapturedFrame {
  return {kind: 'ack', ranges};
}

function data(stream: number, first: number, bytes: number): CapturedFrame {
  return {kind: 'stream', stream, first, bytes, isEnd: false};
}

const CRYPTO: CapturedFrame = {kind: 'setUp'};
const PADDING: CapturedFrame = {kind: 'padding'};
const PING: CapturedFrame = {kind: 'control'};

function kindOf(...packets: readonly QuicPacket[]): string | undefined {
  return quicPackets([datagram('up', ...packets)], [], () => undefined)[0]?.kind;
}

test('a packet is lost if it is never acknowledged, but a packet whose number is larger by 3 or more is', () => {
  const numbered = [0, 1, 2, 3, 4, 5].map(number => datagram('up', packet(number, [PING])));
  const fates = (...ranges: readonly (readonly [number, number])[]) =>
    fatesOf([...numbered, datagram('down', packet(0, [ack(...ranges)]))])
      .map(({fate}) => fate)
      .slice(0, 6);
  expect(fates([4, 4])).toEqual(['lost', 'lost', null, null, 'delivered', null]);
  expect(fates([0, 1], [5, 5])).toEqual(['delivered', 'delivered', 'lost', null, null, 'delivered']);
});

test('an acknowledgement counts only for packets of its number space that came from the other end', () => {
  const sent = [
    datagram('up', packet(0, [CRYPTO], 'initial')),
    datagram('up', packet(0, [PING])),
    datagram('down', packet(0, [PING])),
  ];
  const fates = (answer: QuicDatagram) =>
    fatesOf([...sent, answer])
      .map(({fate}) => fate)
      .slice(0, 3);
  expect(fates(datagram('down', packet(1, [ack([0, 0])], 'initial')))).toEqual(['delivered', null, null]);
  expect(fates(datagram('down', packet(1, [ack([0, 0])])))).toEqual([null, 'delivered', null]);
  expect(fates(datagram('up', packet(1, [ack([0, 0])])))).toEqual([null, null, 'delivered']);
});

test('a datagram arrived if one of its packets is acknowledged, and what the file says counts more', () => {
  const both = datagram('up', packet(0, [CRYPTO], 'initial'), packet(0, [PING]));
  const answers = datagram('down', packet(0, [ack([9, 9])]), packet(0, [ack([0, 0])], 'initial'));
  expect(fatesOf([both, answers])[0]).toEqual({fate: 'delivered'});
  const known = {...both, known: {fate: 'lost', dropped: 'policed'} as const};
  expect(fatesOf([known, answers])[0]).toEqual({fate: 'lost', dropped: 'policed'});
});

test('data is a retransmission if a packet with a smaller number carried its first byte or a later one', () => {
  const again = (...numbers: readonly (readonly [number, CapturedFrame])[]) =>
    quicPackets(
      numbers.map(([number, frame]) => datagram('down', packet(number, [frame]))),
      [],
      () => undefined,
    ).map(({chunks}) => chunks[0]?.retransmission);
  expect(again([0, data(0, 0, 10)], [1, data(0, 10, 10)], [2, data(0, 0, 10)])).toEqual([false, false, true]);
  // The capture has the packets in another order than that of sending.
  expect(again([1, data(0, 10, 10)], [0, data(0, 0, 10)])).toEqual([false, false]);
  // The first copy was lost before it was recorded.
  expect(again([1, data(0, 10, 10)], [2, data(0, 0, 10)])).toEqual([false, true]);
  expect(again([0, data(0, 0, 10)], [1, data(4, 0, 10)])).toEqual([false, false]);
});

test('the kind of a datagram follows from its frames', () => {
  expect(kindOf(packet(0, [CRYPTO, PADDING], 'initial'))).toBe('setUp');
  expect(kindOf(packet(0, [ack([0, 0])], 'handshake'))).toBe('setUp');
  expect(kindOf(packet(0, [CRYPTO]))).toBe('setUp');
  expect(kindOf(packet(null, [], 'none'))).toBe('setUp');
  expect(kindOf(packet(0, [ack([0, 0]), PADDING]))).toBe('acknowledgement');
  expect(kindOf(packet(0, [ack([0, 0]), PING]))).toBe('control');
  expect(kindOf(packet(0, [data(0, 5, 0)]))).toBe('control');
  expect(kindOf(packet(null, []))).toBe('control');
  expect(kindOf(packet(0, [CRYPTO], 'handshake'), packet(0, [data(0, 0, 1)]))).toBe('data');
  expect(kindOf(packet(0, [{kind: 'close', isNormal: true}]))).toBe('close');
  expect(kindOf(packet(0, [{kind: 'close', isNormal: false}], 'initial'))).toBe('abort');
});

test('a connection ends normally with NO_ERROR and with H3_NO_ERROR', () => {
  const close = (error_space: string, error_code: number) =>
    capturedFrame({frame_type: 'connection_close', error_space, error_code});
  expect(close('transport', 0)).toEqual({kind: 'close', isNormal: true});
  expect(close('application', 0x100)).toEqual({kind: 'close', isNormal: true});
  expect(close('transport', 0x100)).toEqual({kind: 'close', isNormal: false});
  expect(close('application', 0x101)).toEqual({kind: 'close', isNormal: false});
  expect(capturedFrame({frame_type: 'connection_close', error: 'no_error'})).toEqual({kind: 'close', isNormal: true});
});

test('the cumulative acknowledgement is one more than the largest acknowledged 1-RTT packet number', () => {
  const acks = (...packets: readonly QuicPacket[]) =>
    quicPackets([datagram('up', ...packets)], [], () => undefined)[0]?.cumulativeAck;
  expect(acks(packet(0, [ack([2, 9], [0, 1])]))).toBe(10);
  expect(acks(packet(0, [ack([2, 9])], 'handshake'))).toBeNaN();
  expect(acks(packet(0, [ack()]))).toBeNaN();
});
