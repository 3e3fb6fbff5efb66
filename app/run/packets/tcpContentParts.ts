import {decodeMessagePipe, isMessagePipe} from './c03Parts.ts';
import type {Datagram} from './flow.ts';
import {decodeHttp1, isHttp1} from './http1Parts.ts';
import {decodeHttp2, isHttp2} from './http2Parts.ts';
import {ByteReader, type Part, partOf} from './part.ts';
import {SentStream} from './sentStream.ts';
import type {Slice} from './streamSlice.ts';
import {applicationData, decodeTls, isTls} from './tlsParts.ts';

/**
 * Decodes the data of a TCP connection in a packet. The first bytes of the stream decide whether it holds TLS records,
 * HTTP/2, HTTP/1.1 or the messages of the paper C03, because the ports do not show it. Returns no parts for other data.
 * `peer` is the other end's stream.
 */
export function decodeContent(slice: Slice, peer: Uint8Array): readonly Part[] {
  if (slice.to <= slice.from) return [];
  if (!isTls(slice.stream)) return decodeHttp(slice, peer);
  const heard = isTls(peer) ? applicationData(peer) : peer;
  return decodeTls(slice, inner => decodeHttp(inner, heard));
}

function decodeHttp(slice: Slice, peer: Uint8Array): readonly Part[] {
  const {stream} = slice;
  if (isHttp2(stream)) return decodeHttp2(slice, peer);
  if (isHttp1(stream)) return decodeHttp1(slice, peer);
  return isMessagePipe(stream) ? decodeMessagePipe(slice, peer) : [];
}

/** The data of a TCP segment and their sequence number. */
interface Segment {
  /** Sequence number of the first byte of data. */
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** Returns the bytes that an end sent, up to the first gap, and the range of the stream that segment `at` holds. */
export function tcpSlice(segments: readonly Datagram[], at: number): Slice {
  const read = segments.map(readSegment);
  const first = read[0]?.sequence ?? 0;
  // RFC 9293 §3.4: sequence numbers wrap.
  const placeOf = ({sequence}: Segment): number => (sequence - first) >>> 0;
  const stream = new SentStream();
  for (const segment of read) if (segment !== undefined) stream.add(placeOf(segment), segment.data);
  const chosen = read[at];
  const from = chosen === undefined ? 0 : placeOf(chosen);
  return {stream: stream.whole, from, to: from + (chosen?.data.length ?? 0)};
}

/** Reads a TCP segment. Undefined if it is truncated. */
function readSegment({bytes}: Datagram): Segment | undefined {
  let read: Segment | undefined;
  partOf('TCP', new ByteReader(bytes), header => {
    header.take(4, 'ports');
    const number = header.number(4, 'sequence number');
    header.take(4, 'acknowledgment number');
    const headerBytes = (header.number(1, 'data offset') >> 4) * 4;
    // RFC 9293 §3.4: a SYN has its own sequence number, so the data begins at the next number.
    const sequence = number + ((header.number(1, 'flags') >> 1) & 1);
    header.take(Math.max(headerBytes - READ_BYTES, 0), 'the rest of the header');
    read = {sequence, data: header.rest()};
  });
  return read;
}

/** Size of the fields of a TCP header that are read above, in bytes. */
const READ_BYTES = 14;
