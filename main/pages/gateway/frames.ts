import {encode} from '@msgpack/msgpack';
import {decodeMessage, type MessageLimits} from '../../../app/host/messagePack.ts';
import {FetchError} from '../base/fetchError.ts';
import {GATEWAY_LIMITS} from '../base/limits.ts';
import {LONGEST_DOCUMENT} from '../store/bundleDocument.ts';
import type {GatewayMessage} from './gatewayMessage.ts';
import {parseMessage} from './parseMessage.ts';

/** A message as gateways send it: its length in four bytes, then MessagePack, in which `bundle.json` is a text. */
export function frameOf(message: GatewayMessage): Uint8Array {
  const isBundle = message.type === 'bundle';
  const body = encode(
    isBundle
      ? {type: 'bundle', files: message.bundle.files, document: JSON.stringify(message.bundle.document)}
      : message,
  );
  const frame = new Uint8Array(HEAD_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEAD_BYTES);
  return frame;
}

/**
 * The messages of a stream, each as soon as it is complete. A frame that is too large fails at once.
 * @throws FetchError for anything that no gateway sends
 */
export async function* readFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<GatewayMessage> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let wanted = HEAD_BYTES;
  for await (const piece of stream) {
    pieces.push(piece);
    bytes += piece.length;
    while (bytes >= wanted) {
      const all = Buffer.concat(pieces);
      pieces = [all];
      wanted = HEAD_BYTES + all.readUInt32BE();
      if (wanted > MOST_FRAME_BYTES) throw new FetchError('the gateway’s answer is too large');
      if (bytes < wanted) break;
      yield parseMessage(decoded(all.subarray(HEAD_BYTES, wanted)));
      pieces = [all.subarray(wanted)];
      bytes -= wanted;
      wanted = HEAD_BYTES;
    }
  }
}

function decoded(body: Uint8Array): unknown {
  try {
    return decodeMessage(body, LIMITS);
  } catch {
    throw new FetchError('the gateway’s answer is damaged');
  }
}

const HEAD_BYTES = 4;

/** Room for a bundle at all of its limits (`GATEWAY_LIMITS`) and its document. */
const MOST_FRAME_BYTES = 100_000_000;

/**
 * Limits of a frame's content: a list of files, each a path and bytes. HTML and style sheets are rewritten, and may
 * have become longer.
 */
const LIMITS: MessageLimits = {
  depth: 3,
  values: 10 + 5 * (GATEWAY_LIMITS.objects + 1),
  arrayLength: GATEWAY_LIMITS.objects + 1,
  mapLength: 10,
  textBytes: LONGEST_DOCUMENT,
  binaryBytes: 2 * GATEWAY_LIMITS.objectBytes,
};
