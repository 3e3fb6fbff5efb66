import {contentLength, type Head, HeadReader} from '../../http/head.ts';
import {requestedUrl} from '../../http/requestHead.ts';
import {fileName} from '../trace/traceTexts.ts';
import type {Field, Part} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';

/**
 * Whether a stream consists of HTTP/1.1 messages, judged by its first bytes. It recognises only what this program
 * sends: GET requests, and responses.
 */
export function isHttp1(stream: Uint8Array): boolean {
  return STARTS.some(start => start.every((byte, i) => stream[i] === byte));
}

/** Decodes the HTTP/1.1 messages in a packet. `peer` is the other end's stream. */
export function decodeHttp1(slice: Slice, peer: Uint8Array): readonly Part[] {
  const messages = readMessages(slice.stream);
  const requests = isHttp1(peer) ? readMessages(peer) : [];
  const parts = messages.flatMap((message, i) => {
    // RFC 9112 §9.3.2: responses are sent in the order of their requests.
    const url = requestedUrl(message.head) ?? requestedUrl(requests[i]?.head ?? message.head);
    return messageParts(message, url === undefined ? '' : ` (${fileName(url)})`, slice);
  });
  return [...parts, ...remainder(slice, messages.at(-1)?.to ?? 0, 'the beginning of a message')];
}

interface Message extends Unit {
  readonly head: Head;
}

/** Decodes the parts of a message's head and body that are in the packet. */
function messageParts(message: Message, name: string, slice: Slice): readonly Part[] {
  const {head, from, to} = message;
  const isRequest = requestedUrl(head) !== undefined;
  const kind = isRequest ? 'request' : 'response';
  const end = from + head.bytes;
  const units = [
    {unit: {from, to: end}, what: `${kind} head${name}`, fields: () => headFields(head, kind)},
    {unit: {from: end, to}, what: `body${name}`, fields: () => [{name: 'length', text: `${to - end} B`}]},
  ];
  return units.flatMap(({unit, what, fields}) => {
    if (unitsIn([unit], slice).length === 0) return [];
    const here = shareFields(unit, slice);
    return isContinued(unit, slice)
      ? [{name: `continues ${what}`, fields: here, parts: []}]
      : [{name: what, fields: [...fields(), ...here], parts: []}];
  });
}

function headFields({startLine, fields}: Head, kind: 'request' | 'response'): readonly Field[] {
  const lines = Array.from(fields, ([name, value]): Field => {
    return {name, text: value.length > MOST_SHOWN ? `${value.length} B` : value};
  });
  return [{name: kind === 'request' ? 'request line' : 'status line', text: startLine}, ...lines];
}

/** Reads messages up to the first incomplete head. */
function readMessages(stream: Uint8Array): readonly Message[] {
  const messages: Message[] = [];
  for (let from = 0; from < stream.length; ) {
    const reader = new HeadReader();
    reader.appendHead(stream.subarray(from));
    const head = reader.take()?.head;
    if (head === undefined) break;
    const to = from + head.bytes + (contentLength(head) ?? 0);
    messages.push({from, to, head});
    from = to;
  }
  return messages;
}

const STARTS = ['GET /', 'HTTP/1.1 '].map(text => Array.from(text, letter => letter.charCodeAt(0)));
const MOST_SHOWN = 60;
