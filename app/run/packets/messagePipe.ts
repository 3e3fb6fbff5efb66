import {readFrame} from '../../http/datagrams/frame.ts';
import {readDatagramRequest} from '../../http/datagrams/request.ts';
import {decodeMessage, messageNames} from './datagram.ts';
import {ByteReader, type Part, partOf} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './slice.ts';

/** Whether a stream carries C03's messages over TCP: its first message is one of these. */
export function isMessagePipe(stream: Uint8Array): boolean {
  const [first] = readMessages(stream);
  if (first === undefined) return false;
  const message = stream.subarray(first.from + LENGTH_BYTES, first.to);
  return readDatagramRequest(message) !== undefined || readFrame(message) !== undefined;
}

/** Decodes these messages in a packet: two bytes of length, then the contents of a datagram. */
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
