import {FRAME} from '../../http/h3/h3Frame.ts';
import {requestName, type StreamNames, streamText} from './fieldLines.ts';
import type {Datagram} from './flow.ts';
import {isUnidirectional, readFrames} from './http3Frames.ts';
import {decodeHttp3} from './http3Parts.ts';
import {ByteReader, type Part} from './part.ts';
import {decodePackets, type Level, type PacketContents} from './quicPacketParts.ts';
import {SentSections, type WholeStreams} from './sentSections.ts';
import {SentStream} from './sentStream.ts';
import {decodeHandshake} from './tlsHandshakeParts.ts';

/**
 * Whether an end's datagrams belong to QUIC, which is the case if the first one has a long header of version 1 (RFC
 * 9000 §17.2).
 */
export function isQuic(datagrams: readonly Datagram[]): boolean {
  const [form, ...version] = payloadOf(datagrams[0]).subarray(0, 5);
  return form !== undefined && form >> 6 === 3 && version.join() === '0,0,0,1';
}

/**
 * Decodes the QUIC packets of the UDP datagram `own[at]` (RFC 9000 §12.2). `own` are all datagrams of the end that sent
 * it, and `peer` those of the other end.
 */
export function decodeQuic(own: readonly Datagram[], at: number, peer: readonly Datagram[]): readonly Part[] {
  const [sent, sentByPeer] = [new Sent(), new Sent()];
  for (const datagram of peer) decodePackets(new ByteReader(payloadOf(datagram)), sentByPeer);
  // A packet number is sent truncated and is completed from earlier packet numbers, so earlier datagrams are read
  // first.
  for (const datagram of own.slice(0, at)) decodePackets(new ByteReader(payloadOf(datagram)), sent);
  const numbers = new PacketNumbers(sent.numbers);
  for (const datagram of own.slice(at)) decodePackets(new ByteReader(payloadOf(datagram)), sent);
  const [streams, peerStreams] = [sent.wholeStreams(), sentByPeer.wholeStreams()];
  const sections = new SentSections(streams, peerStreams);
  const peerSections = new SentSections(peerStreams, streams);
  const names = new Map([...requestNames(peerStreams, peerSections), ...requestNames(streams, sections)]);
  return decodePackets(new ByteReader(payloadOf(own[at])), new DatagramContents(numbers, sent, {names, sections}));
}

/** The payload of a UDP datagram. */
function payloadOf(datagram: Datagram | undefined): Uint8Array {
  return datagram?.bytes.subarray(UDP_HEADER_BYTES) ?? new Uint8Array(0);
}

/** Completes packet numbers in each number space (RFC 9000 §12.3). */
class PacketNumbers {
  readonly #next: Map<string, number>;

  constructor(before?: PacketNumbers) {
    this.#next = new Map(before === undefined ? [] : before.#next);
  }

  /** Returns the full packet number. `number` holds its lowest `bytes` bytes. */
  wholeNumber(level: Level, number: number, bytes: number): number {
    const space = level === '0-RTT' || level === '1-RTT' ? 'application data' : level;
    const whole = wholeNumber(this.#next.get(space) ?? 0, number, bytes);
    this.#next.set(space, whole + 1);
    return whole;
  }
}

/** Collects the streams and packet numbers that an end has sent. Its functions return no parts. */
class Sent implements PacketContents {
  readonly numbers = new PacketNumbers();
  readonly streams = new Map<number, SentStream>();
  readonly handshake = new Map<Level, SentStream>();

  stream(id: number, offset: number, data: Uint8Array): readonly Part[] {
    addTo(this.streams, id, offset, data);
    return [];
  }

  crypto(level: Level, offset: number, data: Uint8Array): readonly Part[] {
    addTo(this.handshake, level, offset, data);
    return [];
  }

  streamText(id: number): string {
    return String(id);
  }

  wholeStreams(): WholeStreams {
    return new Map([...this.streams].map(([id, {whole}]) => [id, whole]));
  }
}

/** Decodes the frames of one datagram, with everything that its sender has sent during the run. */
class DatagramContents implements PacketContents {
  readonly numbers: PacketNumbers;
  readonly #sent: Sent;
  readonly #names: StreamNames;
  readonly #sections: SentSections;

  constructor(
    numbers: PacketNumbers,
    sent: Sent,
    {names, sections}: {readonly names: StreamNames; readonly sections: SentSections},
  ) {
    this.numbers = numbers;
    this.#sent = sent;
    this.#names = names;
    this.#sections = sections;
  }

  stream(id: number, offset: number, data: Uint8Array): readonly Part[] {
    const slice = sliceOf(this.#sent.streams.get(id), offset, data);
    return slice === undefined ? [] : decodeHttp3(slice, id, this.#sections);
  }

  crypto(level: Level, offset: number, data: Uint8Array): readonly Part[] {
    const slice = sliceOf(this.#sent.handshake.get(level), offset, data);
    return slice === undefined ? [] : decodeHandshake(slice);
  }

  streamText(id: number): string {
    return streamText(id, this.#names);
  }
}

/**
 * Returns the range of these data in their stream. Undefined for empty data, and for data that follow bytes which were
 * never sent.
 */
function sliceOf(sent: SentStream | undefined, offset: number, data: Uint8Array) {
  const stream = sent?.whole ?? new Uint8Array(0);
  const to = offset + data.length;
  return data.length === 0 || to > stream.length ? undefined : {stream, from: offset, to};
}

function addTo<K>(streams: Map<K, SentStream>, key: K, offset: number, data: Uint8Array): void {
  const stream = streams.get(key) ?? new SentStream();
  streams.set(key, stream);
  stream.add(offset, data);
}

/** Returns the names of the requested objects, by stream. Streams that do not begin with a request are left out. */
function requestNames(streams: WholeStreams, sections: SentSections): StreamNames {
  const names = new Map<number, string>();
  for (const [id, stream] of streams) {
    if (isUnidirectional(id)) continue;
    const [first] = readFrames(stream, 0);
    const name = first?.type === FRAME.headers ? requestName(sections.of(id, first)) : undefined;
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

/**
 * Completes a packet number (RFC 9000 §A.3). `expected` is the largest packet number so far plus 1. `number` holds the
 * lowest `bytes` bytes.
 */
export function wholeNumber(expected: number, number: number, bytes: number): number {
  const window = 256 ** bytes;
  const candidate = expected - (expected % window) + number;
  if (candidate + window / 2 <= expected) return candidate + window;
  return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate;
}

export const UDP_HEADER_BYTES = 8;
