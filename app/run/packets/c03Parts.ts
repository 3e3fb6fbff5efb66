import {latin1} from '../../base/bytes.ts';
import {FRAME_HEADER_BYTES, type Frame, readFrame} from '../../http/datagrams/datagramFrame.ts';
import {readDatagramRequest} from '../../http/datagrams/datagramRequest.ts';
import {readPieces} from '../../http/datagrams/htmlFramePieces.ts';
import {fileName} from '../trace/traceTexts.ts';
import {type StreamNames, streamText} from './fieldLines.ts';
import type {Datagram} from './flow.ts';
import {ByteReader, dataFields, type Field, type Part, partOf} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';

/**
 * Decodes a datagram of the protocol of the paper C03: a GET, or a frame of a response. Returns no parts for other
 * datagrams.
 */
export function decodeMessage(message: Uint8Array, names: StreamNames): readonly Part[] {
  const request = readDatagramRequest(message);
  if (request !== undefined) return [requestPart(message, fileName(request.url))];
  const frame = readFrame(message);
  return frame === undefined ? [] : [framePart(frame, names)];
}

/** Returns the names of the requested objects by request number. `messages` need not all be requests. */
export function messageNames(messages: readonly Uint8Array[]): StreamNames {
  const requests = messages.map(readDatagramRequest).filter(request => request !== undefined);
  return new Map(requests.map(({request, url}) => [request, fileName(url)]));
}

/** The payload of a UDP datagram. */
export function messageOf({bytes}: Datagram): Uint8Array {
  return bytes.subarray(UDP_HEADER_BYTES);
}

/** Decodes a GET into the fields that C03 §4 defines. For long values, such as the padding, only the size is shown. */
function requestPart(message: Uint8Array, name: string): Part {
  const [line = '', ...lines] = latin1(message).trimEnd().split('\r\n');
  const fields = lines.map((each): Field => {
    const [field = '', ...value] = each.split(': ');
    const text = value.join(': ');
    return {name: field, text: text.length > MOST_SHOWN ? `${text.length} B` : text};
  });
  return {name: `request for ${name}`, fields: [{name: 'request line', text: line}, ...fields], parts: []};
}

/**
 * Decodes a frame of a response into the fields of `app/http/datagrams/datagramFrame.ts`. The server can divide HTML
 * into an abstract (the tags) and data frames (everything between the tags). Frames have the same context if they carry
 * parts of the same data, for example of one picture (C03 §4).
 */
function framePart(frame: Frame, names: StreamNames): Part {
  const {request, index, frames, answers, abstractFrames, continues, payload} = frame;
  const isAbstract = index < abstractFrames;
  const kind = isAbstract ? 'abstract frame' : abstractFrames > 0 ? 'data frame' : 'frame';
  const about = streamText(request, names).replace('stream', 'request');
  return {
    name: `${kind} ${index + 1} of ${frames}, ${about}`,
    fields: [
      {name: 'request', text: String(request)},
      {name: 'frame', text: String(index)},
      {name: 'frames', text: String(frames)},
      {name: 'answers', text: answers === null ? NOT_AN_ANSWER : `datagram ${answers}`},
      {
        name: 'abstract',
        text: abstractFrames === 0 ? 'none: the response has no abstract frames' : `frames 0 – ${abstractFrames - 1}`,
      },
      {name: 'context', text: continues ? 'the same as that of the previous frame' : 'its own'},
      {name: 'header', text: `${FRAME_HEADER_BYTES} B`},
      ...dataFields(payload),
    ],
    // The abstract is divided into frames at arbitrary bytes, so a single frame of it cannot be decoded.
    parts: isAbstract || abstractFrames === 0 ? [] : pieceParts(payload),
  };
}

/** Decodes the pieces of the body in a frame. No frame states the body's size, so it is unlimited here. */
function pieceParts(payload: Uint8Array): readonly Part[] {
  return readPieces(payload, Number.POSITIVE_INFINITY).map(({first, bytes}) => ({
    name: 'piece of the body',
    fields: [{name: 'position', text: `bytes ${first + 1} – ${first + bytes.length}`}, ...dataFields(bytes)],
    parts: [],
  }));
}

const UDP_HEADER_BYTES = 8;
const MOST_SHOWN = 60;
const NOT_AN_ANSWER = 'none: the frame is not the first one that answers a datagram, or it waited behind other frames';

/** Whether a stream carries the messages of the paper C03 over TCP, judged by the first message in the stream. */
export function isMessagePipe(stream: Uint8Array): boolean {
  const [first] = readMessages(stream);
  if (first === undefined) return false;
  const message = stream.subarray(first.from + LENGTH_BYTES, first.to);
  return readDatagramRequest(message) !== undefined || readFrame(message) !== undefined;
}

/**
 * Decodes the messages of the paper C03 that a packet carries over TCP. Each message consists of its length in two
 * bytes and the contents of a datagram.
 */
export function decodeMessagePipe(slice: Slice, peer: Uint8Array): readonly Part[] {
  const messages = readMessages(slice.stream);
  const names = messageNames(readMessages(peer).map(({from, to}) => peer.subarray(from + LENGTH_BYTES, to)));
  const parts = unitsIn(messages, slice).map((message): Part => {
    const here = shareFields(message, slice);
    const content = decodeMessage(slice.stream.subarray(message.from + LENGTH_BYTES, message.to), names);
    const name = content[0]?.name ?? 'message';
    if (isContinued(message, slice)) return {name: `continues ${name}`, fields: here, parts: []};
    const length = {name: 'length', text: `${message.to - message.from - LENGTH_BYTES} B`};
    return {name: 'message', fields: [length, ...here], parts: content};
  });
  return [...parts, ...remainder(slice, messages.at(-1)?.to ?? 0, 'the beginning of a message')];
}

function readMessages(stream: Uint8Array): readonly Unit[] {
  const messages: Unit[] = [];
  const bytes = new ByteReader(stream);
  partOf('messages', bytes, () => {
    while (bytes.left > 0) {
      const from = stream.length - bytes.left;
      const length = bytes.number(2, 'length');
      messages.push({from, to: from + LENGTH_BYTES + length});
      bytes.take(length, 'message');
    }
  });
  return messages;
}

const LENGTH_BYTES = 2;
