import {get} from 'node:http';
import {isObject} from '../../app/base/schema.ts';
import {showName} from '../../app/base/text.ts';
import {bearer} from '../../app/http/request.ts';
import type {Respond, Response} from '../../app/http/response.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {LiveAddress} from './liveAddress.ts';

/** Where a live server says which page it has (RFC 8615): `{"page": {"name", "hash"}}`. */
const WELL_KNOWN = '/.well-known/interleave';

/** What it answers of the page, and of which page that is. */
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
 * What is to be told where the server has another page than this, in one line. Null if it has this one or does not say:
 * other people's servers do not, and behind an emulated path there may be nobody to ask by the kernel's TCP.
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
  const which = theirs === ours ? `another ${ours}` : `${theirs}, not ${ours}`;
  return `${live} serves ${which}: what came is not what is shown (hash ${served.hash.slice(0, 12)}…, expected ${page.hash.slice(0, 12)}…)`;
}

/** Null if it is anything else. */
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

/** A load waits for it. */
const PATIENCE_MS = 1500;
const MOST_CHARACTERS = 10_000;
const LONGEST_NAME = 60;
