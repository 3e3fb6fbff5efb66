import {get} from 'node:http';
import {isObject} from '../../../app/base/schema.ts';
import {showName} from '../../../app/base/text.ts';
import {bearer} from '../../../app/http/requestHead.ts';
import type {Respond, Response} from '../../../app/http/response.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {LiveAddress} from './liveAddress.ts';

/**
 * A live server answers requests for this path with the name and hash of the page that it serves, as `{"page": {"name",
 * "hash"}}` (RFC 8615).
 */
const WELL_KNOWN = '/.well-known/interleave';

/** Adds the path {@link WELL_KNOWN} to `respond`. Its response contains the page's name and hash. */
export function respondAbout({name, hash, headerBytes}: PageSnapshot, respond: Respond): Respond {
  const about: Response = {
    object: null,
    status: 200,
    statusText: 'OK',
    contentType: 'application/json',
    headerBytes,
    body: new TextEncoder().encode(`${JSON.stringify({page: {name, hash}})}\n`),
  };
  return url => (url === WELL_KNOWN ? about : respond(url));
}

/**
 * Asks a server which page it serves. Returns a line for the user if the hash of that page differs from the hash of
 * `page`, and null if both are equal. It also returns null if there is no valid answer. For example, another program's
 * server does not know {@link WELL_KNOWN}. Another example is `interleave path` without `--namespace`: it relays only
 * UDP, but the question goes over the kernel's TCP.
 */
export async function otherPageAt(
  {live, host, port}: LiveAddress,
  page: PageSnapshot,
  {signal, token}: {readonly signal: AbortSignal; readonly token?: string | undefined},
): Promise<string | null> {
  const headers = token === undefined ? {} : {Authorization: bearer(token)};
  const text = await new Promise<string>(resolve => {
    const request = get({host, port, path: WELL_KNOWN, headers, agent: false, signal}, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > MOST_CHARACTERS) request.destroy();
      });
      response.on('end', () => resolve(response.statusCode === 200 ? text : ''));
      response.on('close', () => resolve(''));
    });
    const late = setTimeout(() => request.destroy(), PATIENCE_MS);
    request.on('error', () => resolve(''));
    request.on('close', () => {
      clearTimeout(late);
      resolve('');
    });
  });
  const served = servedPage(text);
  if (served === null || served.hash === page.hash) return null;
  const [theirs, ours] = [showName(served.name, LONGEST_NAME), showName(page.name, LONGEST_NAME)];
  const which = theirs === ours ? `another page called ${ours}` : `${theirs}, not ${ours}`;
  const hashes = `hash ${served.hash.slice(0, 12)}…, expected ${page.hash.slice(0, 12)}…`;
  return `${live} serves ${which}: the bytes loaded are not those of the page shown (${hashes})`;
}

/** Parses a server's answer at {@link WELL_KNOWN}. Null if it is invalid. */
function servedPage(text: string): {readonly name: string; readonly hash: string} | null {
  try {
    const answer: unknown = JSON.parse(text);
    const page = isObject(answer) && isObject(answer['page']) ? answer['page'] : {};
    const {name, hash} = page;
    const isHash = typeof hash === 'string' && /^[\da-f]{64}$/.test(hash);
    return typeof name === 'string' && isHash ? {name, hash} : null;
  } catch {
    return null;
  }
}

/** Longest time to wait for the answer, in ms. The load starts when the answer has arrived or this time is over. */
const PATIENCE_MS = 1500;
const MOST_CHARACTERS = 10_000;
const LONGEST_NAME = 60;
