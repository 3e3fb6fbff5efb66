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
import {FetchError} from '../base/fetchError.ts';
import {GATEWAY_LIMITS} from '../base/limits.ts';
import type {Bundle, BundleFile} from '../store/bundle.ts';
import {bundlePath, INDEX, readBundleDocument} from '../store/bundleDocument.ts';
import {differingFile} from '../store/bundleHash.ts';
import type {GatewayMessage} from './gatewayMessage.ts';

/**
 * Checks a message from another machine's gateway. A bundle's files must be those of its document, at paths that a
 * bundle may have.
 * @throws FetchError for anything that no gateway sends
 */
export function parseMessage(value: unknown): GatewayMessage {
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

/** Most characters of a reason. */
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
