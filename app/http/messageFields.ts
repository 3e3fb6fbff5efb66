import {HOST} from '../page/url.ts';
import {PAD_FIELD} from './head.ts';
import type {Field} from './hpack/field.ts';
import {type Priority, priorityText} from './priority.ts';
import {bearer, requestPadding} from './requestHead.ts';
import {type Response, responsePadding} from './response.ts';

// Converts the heads of HTTP/1.1 into the fields of HTTP/2 and HTTP/3. The padding is kept as a field.

/**
 * Returns the fields of a GET, including its priority. Equal requests get the same list, because most loads of a page
 * repeat the requests of earlier loads. `requestBytes` is the size to which the head would be padded in HTTP/1.1.
 */
export function getFields(
  url: string,
  scheme: 'http' | 'https',
  requestBytes: number,
  priority: Priority,
  token?: string,
): readonly Field[] {
  const key = `${scheme} ${requestBytes} ${priority.urgency} ${priority.isIncremental} ${url} ${token ?? ''}`;
  const known = gets.get(key);
  if (known !== undefined) return known;
  if (gets.size >= MOST_GETS) gets.clear();
  const fields = newGetFields(url, scheme, requestBytes, priority, token);
  gets.set(key, fields);
  return fields;
}

const gets = new Map<string, readonly Field[]>();
/** Limit of the cached lists. The largest pages have about this many requests. */
const MOST_GETS = 1000;

function newGetFields(
  url: string,
  scheme: 'http' | 'https',
  requestBytes: number,
  priority: Priority,
  token: string | undefined,
): readonly Field[] {
  const [pad, text] = [requestPadding(url, requestBytes, token), priorityText(priority)];
  return [
    [':method', 'GET'] as const,
    [':authority', HOST] as const,
    [':scheme', scheme] as const,
    [':path', url] as const,
    ...(token === undefined ? [] : [['authorization', bearer(token)] as const]),
    ...(text === '' ? [] : [['priority', text] as const]),
    ...(pad === undefined ? [] : [[PAD_FIELD.toLowerCase(), pad] as const]),
  ];
}

/** Returns the fields of a response. The list is made once for each response. */
export function answerFields(response: Response): readonly Field[] {
  let fields = answers.get(response);
  if (fields === undefined) {
    fields = newAnswerFields(response);
    answers.set(response, fields);
  }
  return fields;
}

const answers = new WeakMap<Response, readonly Field[]>();

function newAnswerFields(response: Response): readonly Field[] {
  const pad = responsePadding(response);
  return [
    [':status', String(response.status)],
    ['content-type', response.contentType],
    ['content-length', String(response.body.length)],
    ...(pad === undefined ? [] : [[PAD_FIELD.toLowerCase(), pad] as const]),
  ];
}
