import {splitHtml} from '../../page/htmlPieces.ts';
import type {HtmlRange} from '../../page/htmlRange.ts';
import {encodedResponse, type Response} from '../response.ts';
import {cut, type FrameBody, type FramedResponse, inSequence} from './framedResponse.ts';
import {encodePieces, MOST_PIECE_BYTES, PIECE_HEADER_BYTES, type Piece, pieceBytes} from './htmlFramePieces.ts';

/**
 * Cuts a response into frames. HTML with status 200 is split into an abstract and data frames (C03 §3). The abstract
 * consists of the HTTP head, all tags, and very short texts. Its frames can be read only together. Data frames contain
 * the other texts between the tags. Once the abstract is complete, a client can show each data frame without the other
 * data frames, because the frame states where its texts belong. A text is cut only if it is larger than a frame. It is
 * cut between words if possible. All other responses are cut in sequence, because a picture, for example, can be
 * decoded only from its first byte on.
 */
export function splitResponse(response: Response, payloadBytes: number): FramedResponse {
  const known = made.get(response)?.get(payloadBytes);
  if (known !== undefined) return known;
  const isHtml = response.status === 200 && response.contentType.startsWith('text/html');
  const framed = isHtml ? split(response, payloadBytes) : inSequence(response, payloadBytes, {continues: true});
  const bySize = made.get(response) ?? new Map<number, FramedResponse>();
  made.set(response, bySize.set(payloadBytes, framed));
  return framed;
}

/** Results by response and payload size. They are cached because most loads of a page differ only in their seed. */
const made = new WeakMap<Response, Map<number, FramedResponse>>();

function split(response: Response, payloadBytes: number): FramedResponse {
  const {body, object} = response;
  const whole = encodedResponse(response);
  const head = whole.subarray(0, whole.length - body.length);
  const {markup, data} = splitHtml(body, LEAST_DATA_BYTES);
  const tags = encodePieces(markup.flatMap(range => piecesOf(body, range, MOST_PIECE_BYTES)));
  const abstract = new Uint8Array(head.length + tags.length);
  abstract.set(head);
  abstract.set(tags, head.length);
  const first = cut(abstract, payloadBytes).map((payload, i) => ({payload, continues: i > 0}));
  return {object, frames: [...first, ...dataFrames(body, data, payloadBytes)], abstractFrames: first.length};
}

function dataFrames(body: Uint8Array, data: readonly HtmlRange[], payloadBytes: number): readonly FrameBody[] {
  const frames: FrameBody[] = [];
  let [pieces, room, continues]: [Piece[], number, boolean] = [[], payloadBytes, false];
  const finish = () => {
    if (pieces.length > 0) frames.push({payload: encodePieces(pieces), continues});
    [pieces, room, continues] = [[], payloadBytes, false];
  };
  for (const range of data) {
    for (const piece of piecesOf(body, range, payloadBytes - PIECE_HEADER_BYTES)) {
      if (pieceBytes(piece) > room) finish();
      if (pieces.length === 0) continues = piece.first > range.first;
      pieces.push(piece);
      room -= pieceBytes(piece);
    }
  }
  finish();
  return frames;
}

/**
 * Cuts a range into pieces of at most `mostBytes`. It cuts after the last space in the last 100 bytes of a piece, or
 * between characters if there is no such space.
 */
function piecesOf(body: Uint8Array, {first, end}: HtmlRange, mostBytes: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = first; at < end; ) {
    const to = end - at <= mostBytes ? end : cutAt(body, at, Math.min(at + mostBytes, at + MOST_PIECE_BYTES));
    pieces.push({first: at, bytes: body.subarray(at, to)});
    at = to;
  }
  return pieces;
}

function cutAt(body: Uint8Array, from: number, to: number): number {
  const first = Math.max(from, to - LONGEST_WORD_BYTES);
  const space = body.subarray(first, to).lastIndexOf(SPACE);
  if (space >= 0) return first + space + 1;
  let at = to;
  // Continuation bytes of UTF-8 are 10xxxxxx.
  while (at > from && ((body[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at > from ? at : to;
}

/**
 * Texts with fewer bytes than this stay in the abstract, because each text in a data frame needs a header of its own.
 * The limit is twice the size of this header.
 */
const LEAST_DATA_BYTES = 2 * PIECE_HEADER_BYTES;
const SPACE = 0x20;
const LONGEST_WORD_BYTES = 100;
