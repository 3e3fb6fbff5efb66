import {readJson} from '../../../app/base/json.ts';
import {isObject} from '../../../app/base/schema.ts';
import {showName} from '../../../app/base/text.ts';
import {absoluteAddress} from '../base/absoluteAddress.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import type {Fetched} from '../fetch/fetcher.ts';
import {readHtml} from '../fetch/readText.ts';
import {NOT_SEEN, namedIn} from '../record/recordedBundle.ts';
import {loadOfHar, textOf} from './harRecording.ts';
import type {LocalSource} from './localSource.ts';

/**
 * Reads the page in an HTTP Archive (HAR 1.2), as browsers save it. The page is the first HTML document that the
 * archive contains completely. The page's objects are the bodies of those other responses that the page uses.
 * @throws PageError if it is not a HAR file, has no page, or if the page is damaged
 */
export function harSource(name: string, bytes: Uint8Array): LocalSource {
  const json = readJson(new TextDecoder().decode(bytes));
  if (!json.ok) throw new PageError(name, `is not a HAR file: ${json.message}`);
  const log = isObject(json.value) ? json.value['log'] : undefined;
  const entries = isObject(log) ? log['entries'] : undefined;
  if (!Array.isArray(entries)) throw new PageError(name, 'is not a HAR file: it has no log.entries');
  const responses = new Map<string, HarResponse>();
  for (const response of entries.flatMap(responseOf)) {
    // If there are several responses to one address, the first response that has a body counts.
    const before = responses.get(response.address);
    if (before === undefined || (before.text === undefined && response.text !== undefined)) {
      responses.set(response.address, response);
    }
  }
  const page = [...responses.values()].find(isPage);
  if (page === undefined) throw new PageError(name, 'has no HTML document with its content');
  const used = new Set<HarResponse>();
  const load = loadOfHar(entries, page.address, namedIn(htmlOf(name, page)));
  return {
    address: page.address,
    ...(load !== undefined && {recorded: {...load, ...NOT_SEEN, browser: browserOf(log)}}),
    nameOf: address => address,
    get: async address => bodyOf(followed(responses, address, used)),
    unused: () => unusedText([...responses.values()].filter(response => !used.has(response))),
  };
}

/** Name and version of the browser that saved the archive, or of another program that saved it. */
function browserOf(log: unknown): string {
  const {browser, creator}: {[key: string]: unknown} = isObject(log) ? log : {};
  const named = isObject(browser) ? browser : isObject(creator) ? creator : {};
  const {name, version}: {[key: string]: unknown} = named;
  return [textOf(name) || 'browser', textOf(version)]
    .filter(each => each !== '')
    .join('/')
    .slice(0, LONGEST_BROWSER);
}

const LONGEST_BROWSER = 100;

/**
 * Describes responses that were not used. An archive also contains responses to requests of scripts, and this program
 * does not run scripts.
 */
function unusedText(unused: readonly HarResponse[]): readonly string[] {
  const [first] = unused;
  if (first === undefined) return [];
  const shown = showName(first.address);
  if (unused.length === 1) return [`1 address of the archive that the page does not name (${shown})`];
  return [`${unused.length} addresses of the archive that the page does not name (the first: ${shown})`];
}

/** One response of the archive. Values that are invalid in the file are absent, empty or NaN here. */
interface HarResponse {
  readonly address: string;
  readonly status: number;
  readonly type: string;
  readonly text: string | undefined;
  readonly isBase64: boolean;
  /** Target of a redirect. */
  readonly location: string;
}

function responseOf(entry: unknown): readonly HarResponse[] {
  if (!isObject(entry)) return [];
  const [request, response] = [entry['request'], entry['response']];
  if (!isObject(request) || !isObject(response) || textOf(request['method']) !== 'GET') return [];
  const address = absoluteAddress(textOf(request['url']));
  const content = isObject(response['content']) ? response['content'] : {};
  if (address === undefined) return [];
  const {text} = content as {text?: unknown};
  return [
    {
      address,
      status: Number(response['status']),
      type: textOf(content['mimeType']).trim().toLowerCase(),
      text: typeof text === 'string' ? text : undefined,
      isBase64: content['encoding'] === 'base64',
      location: textOf(response['redirectURL']),
    },
  ];
}

function isPage({status, type, text}: HarResponse): boolean {
  return isWhole(status) && /^(text\/html|application\/xhtml\+xml)\b/.test(type) && !!text;
}

/**
 * Whether a response with this status has its whole content. For 304 the archive contains the copy from the browser's
 * cache.
 */
function isWhole(status: number): boolean {
  return (status >= 200 && status < 300 && status !== 206) || status === 304;
}

/** @throws PageError if the HTML is damaged */
function htmlOf(name: string, page: HarResponse): string {
  try {
    const {body, contentType} = bodyOf(page);
    return readHtml(body, contentType);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new PageError(name, `cannot be opened: ${error.message}`);
  }
}

/** Follows redirects to the last response. Adds the redirects and the last response to `used`. @throws FetchError */
function followed(responses: ReadonlyMap<string, HarResponse>, address: string, used: Set<HarResponse>): HarResponse {
  let at: string | undefined = address;
  for (let redirects = 0; redirects <= GATEWAY_LIMITS.redirects; redirects++) {
    const response: HarResponse | undefined = at === undefined ? undefined : responses.get(at);
    if (response === undefined) {
      const target = redirects === 0 ? 'it' : 'the address that it is redirected to';
      throw new FetchError(`the archive has no response to ${target}`);
    }
    used.add(response);
    const {status, location} = response;
    if (status < 300 || status > 399 || status === 304) return response;
    at = absoluteAddress(location, response.address);
  }
  throw new FetchError(`it is redirected more than ${GATEWAY_LIMITS.redirects} times`);
}

/** @throws FetchError */
function bodyOf({address, status, type, text, isBase64}: HarResponse): Fetched {
  if (!isWhole(status)) throw new FetchError(`the server answered ${status}`);
  if (text === undefined) throw new FetchError('the archive has a response to it, but without its content');
  if (isBase64) return {address, contentType: type, body: decoded(text)};
  // the browser decoded the text before it saved it
  return {address, contentType: `${type.split(';')[0]}; charset=utf-8`, body: Buffer.from(text)};
}

/** @throws FetchError */
function decoded(base64: string): Uint8Array {
  const text = base64.replaceAll(/\s+/g, '');
  const body = Buffer.from(text, 'base64');
  // Node decodes as much as it can, and reports no error
  if (body.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new FetchError('its base64 is damaged');
  }
  return body;
}
