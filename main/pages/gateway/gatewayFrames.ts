import {encode} from '@msgpack/msgpack';
import {
  anyText,
  boolean,
  check,
  fail,
  integer,
  list,
  object,
  oneOf,
  type Parser,
  required,
} from '../../../app/base/schema.ts';
import {decodeMessage, type MessageLimits} from '../../../app/host/messagePack.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Bundle, BundleFile} from '../store/bundle.ts';
import {bundlePath, INDEX, LONGEST_DOCUMENT, readBundleDocument} from '../store/bundleDocument.ts';
import {differingFile} from '../store/bundleHash.ts';
import type {GatewayMessage} from './gatewayMessage.ts';

/**
 * Encodes a message as gateways send it: its length in four bytes, then the message in MessagePack. The document of a
 * bundle (`bundle.json`) is sent as a JSON text.
 */
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
 * Decodes the messages of a stream of frames ({@link frameOf}), and yields each message as soon as it is complete. A
 * frame that is too large is refused before its content is read.
 * @throws FetchError if a message is not one that a gateway sends
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

/** Largest size of a frame. A bundle that reaches all limits (`GATEWAY_LIMITS`) fits, together with its document. */
const MOST_FRAME_BYTES = 100_000_000;

/**
 * Limits on the content of a frame. The largest frame has a bundle: a list of files, each with a path and bytes, and
 * the text of `bundle.json`. A file may be twice as large as an object on the web (`binaryBytes`), because the gateway
 * can make HTML and style sheets longer when it rewrites them.
 */
const LIMITS: MessageLimits = {
  depth: 3,
  values: 10 + 5 * (GATEWAY_LIMITS.objects + 1),
  arrayLength: GATEWAY_LIMITS.objects + 1,
  mapLength: 10,
  textBytes: LONGEST_DOCUMENT,
  binaryBytes: 2 * GATEWAY_LIMITS.objectBytes,
};

/**
 * Checks a message from a gateway on another machine. The files of a bundle must be those that its document names, and
 * their paths must be allowed in a bundle.
 * @throws FetchError if a message is not one that a gateway sends
 */
function parseMessage(value: unknown): GatewayMessage {
  switch ((value as {readonly type?: unknown} | null)?.type) {
    case 'progress':
      return checked(progress, value);
    case 'refused':
      return checked(refused, value);
    case 'bundle': {
      const {files, document} = checked(sentBundle, value);
      return {type: 'bundle', bundle: bundleOf(files, document)};
    }
    default:
      throw wrong('it has no known type');
  }
}

function checked<T>(parse: Parser<T>, value: unknown): T {
  const parsed = check(parse, value);
  if (!parsed.ok) throw wrong(parsed.problems[0].message);
  return parsed.value;
}

function bundleOf(files: readonly BundleFile[], text: string): Bundle {
  const document = readBundleDocument(Buffer.from(text));
  if (document === undefined) throw wrong('its bundle.json is invalid');
  if (files[0]?.path !== INDEX) throw wrong(`it has no ${INDEX}`);
  const differing = differingFile(files, document.objects);
  if (differing !== undefined) throw wrong(`${differing} is not what its bundle.json says`);
  return {files, document};
}

function wrong(what: string): FetchError {
  return new FetchError(`the gateway’s answer is invalid: ${what}`);
}

const shortText: Parser<string> = (value, path, problems) =>
  typeof value === 'string' && value.length <= LONGEST_TEXT
    ? value
    : fail(problems, path, value, `a text of at most ${LONGEST_TEXT} characters`);

const bytes: Parser<Uint8Array> = (value, path, problems) =>
  value instanceof Uint8Array ? value : fail(problems, path, value, 'bytes');

/** Longest reason why a page was refused, in characters. */
const LONGEST_TEXT = 10_000;

const count = integer(0, GATEWAY_LIMITS.objects);

const progress = object('progress', {type: required(oneOf(['progress'])), done: required(count), all: required(count)});

const refused = object('a refusal', {
  type: required(oneOf(['refused'])),
  why: required(shortText),
  isPrivate: required(boolean()),
});

const file = object('a file', {path: required(bundlePath), bytes: required(bytes)});

const sentBundle = object('a bundle', {
  type: required(oneOf(['bundle'])),
  files: required(list(file, 1, GATEWAY_LIMITS.objects + 1)),
  document: required(anyText()),
});
