import type {Datagram} from './flow.ts';
import {ByteReader, partOf} from './part.ts';
import {SentStream} from './sentStream.ts';
import type {Slice} from './slice.ts';

/** A segment's data and their place. */
interface Segment {
  /** Sequence number of the first byte of data. */
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** All bytes that an end sent, from the first, and the range of one segment's data in them. */
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

/** Undefined for a truncated segment. */
function readSegment({bytes}: Datagram): Segment | undefined {
  let read: Segment | undefined;
  partOf('TCP', new ByteReader(bytes), header => {
    header.take(4, 'ports');
    const number = header.number(4, 'sequence number');
    header.take(4, 'acknowledgment number');
    const headerBytes = (header.number(1, 'data offset') >> 4) * 4;
    // RFC 9293 §3.4: a SYN takes the number before that of the first byte.
    const sequence = number + ((header.number(1, 'flags') >> 1) & 1);
    header.take(Math.max(headerBytes - READ_BYTES, 0), 'the rest of the header');
    read = {sequence, data: header.rest()};
  });
  return read;
}

/** Size of the header up to its flags. */
const READ_BYTES = 14;
