import {firstAbove, rowsOf} from '../base/order.ts';
import type {Trace} from '../run/trace/trace.ts';

/**
 * A part of a chunk's data, and the part's position in a stream. A chunk is a row of `ChunkColumns`: the data of a TCP
 * segment or datagram, a DATA chunk, or a STREAM frame.
 */
export interface StreamPlace {
  /** The number of the HTTP/2 stream, which the transport does not know. It is null for other protocols. */
  readonly stream: number | null;
  /** The number of bytes before the part in the stream. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Returns a function from a chunk to the positions of its data in streams. The bytes of an HTTP/2 stream are the
 * request and the response with their frame headers. Bytes of TLS and of frames of the connection belong to no stream.
 * The column `first` of the chunks does not have these positions: over SCTP and bare datagrams it counts chunks instead
 * of bytes, and over TCP it counts the bytes of the connection.
 */
export function streamPlaces(trace: Trace): (chunk: number) => readonly StreamPlace[] {
  const {pipeline, data} = trace;
  const {chunks} = data;
  if (pipeline.numbers === 'chunk') return chunkPlaces(trace);
  // Requests have even stream numbers in HTTP/3 (RFC 9000 §2.1) and odd ones in HTTP/2 (RFC 9113 §5.1.1).
  const hasOdd = data.objects.some(({stream}) => stream !== null && stream % 2 === 1);
  if (pipeline.hasPriorities && hasOdd) return http2Places(trace);
  return chunk => [{stream: null, offset: chunks.first[chunk] ?? 0, bytes: chunks.bytes[chunk] ?? 0}];
}

/**
 * Returns the function of {@link streamPlaces} for pipelines whose chunk numbers count chunks instead of bytes. The
 * offset of a chunk is the total number of bytes in the sender's chunks with lower numbers on the same stream.
 */
function chunkPlaces({data: {packets, chunks}}: Trace): (chunk: number) => readonly StreamPlace[] {
  const offsets = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const chunk of firstCopies({packets, chunks})) {
    const stream = `${senderOf({packets, chunks}, chunk)}/${chunks.stream[chunk]}`;
    const end = ends.get(stream) ?? 0;
    offsets.set(keyOf({packets, chunks}, chunk), end);
    ends.set(stream, end + (chunks.bytes[chunk] ?? 0));
  }
  return chunk => [
    {
      stream: null,
      offset: offsets.get(keyOf({packets, chunks}, chunk)) ?? 0,
      bytes: chunks.bytes[chunk] ?? 0,
    },
  ];
}

/**
 * Returns the function of {@link streamPlaces} for HTTP/2. A retransmitted segment has the same positions as before. A
 * segment that contains parts of earlier segments has the positions of these parts. These positions rely on an
 * assumption: bytes that belong to no stream are at the end of the segment in which they were first sent.
 */
function http2Places({data}: Trace): (chunk: number) => readonly StreamPlace[] {
  const {chunks, chunkPieces, objects} = data;
  const ends = new Map<string, number>();
  const sent = new Map<number, FirstCopies>();
  for (const chunk of firstCopies(data)) {
    const sender = senderOf(data, chunk);
    const copies = sent.get(sender) ?? {from: [], places: []};
    sent.set(sender, copies);
    const places = rowsOf(chunkPieces.row, chunk).flatMap((piece): readonly StreamPlace[] => {
      const stream = objects[chunkPieces.object[piece] ?? 0]?.stream ?? null;
      const [bytes, offset] = [chunkPieces.bytes[piece] ?? 0, ends.get(`${sender}/${stream}`) ?? 0];
      ends.set(`${sender}/${stream}`, offset + bytes);
      return [{stream, offset, bytes}];
    });
    copies.from.push(chunks.first[chunk] ?? 0);
    copies.places.push(places);
  }
  return chunk => {
    const [from, copies] = [chunks.first[chunk] ?? 0, sent.get(senderOf(data, chunk))];
    return copies === undefined ? [] : placesIn(copies, from, from + (chunks.bytes[chunk] ?? 0));
  };
}

/**
 * The segments of a sender in order, without retransmissions. `from` holds the number of each segment's first byte, and
 * `places` the positions of its data.
 */
interface FirstCopies {
  readonly from: number[];
  readonly places: (readonly StreamPlace[])[];
}

function placesIn(copies: FirstCopies, from: number, to: number): readonly StreamPlace[] {
  const found: StreamPlace[] = [];
  for (let at = Math.max(firstAbove(copies.from, from) - 1, 0); (copies.from[at] ?? to) < to; at++) {
    let begin = copies.from[at] ?? 0;
    for (const {stream, offset, bytes} of copies.places[at] ?? []) {
      const [first, end] = [Math.max(begin, from), Math.min(begin + bytes, to)];
      if (end > first) found.push({stream, offset: offset + first - begin, bytes: end - first});
      begin += bytes;
    }
  }
  return found;
}

type Columns = Pick<Trace['data'], 'packets' | 'chunks'>;

/** Returns the chunks that are not retransmissions, in the order of their numbers. */
function firstCopies({chunks}: Columns): readonly number[] {
  return Array.from(chunks.first.keys())
    .filter(chunk => chunks.retransmission[chunk] !== 1)
    .sort((a, b) => (chunks.first[a] ?? 0) - (chunks.first[b] ?? 0));
}

function senderOf({packets, chunks}: Columns, chunk: number): number {
  return packets.endpoint[chunks.packet[chunk] ?? 0] ?? 0;
}

function keyOf({packets, chunks}: Columns, chunk: number): string {
  return `${senderOf({packets, chunks}, chunk)}/${chunks.first[chunk]}`;
}
