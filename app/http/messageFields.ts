import {MOST_OBJECTS} from '../page/page.ts';
import {HOST} from '../page/url.ts';
import type {HeadField} from './filler.ts';
import type {Field} from './hpack/field.ts';
import {type Priority, priorityText} from './priority.ts';
import {requestFields} from './requestHead.ts';
import {type Response, responseHeadFields} from './response.ts';

// Converts the heads of HTTP/1.1 into the fields of HTTP/2 and HTTP/3.

/**
 * Returns the fields of a GET, including its priority. Equal requests get the same cached list, because most loads of a
 * page repeat the requests of earlier loads. `requestBytes` is the size that the head would have in HTTP/1.1.
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
/** The largest number of cached lists. Panes may request the same objects with two different priorities. */
const MOST_GETS = 2 * MOST_OBJECTS;

function newGetFields(
  url: string,
  scheme: 'http' | 'https',
  requestBytes: number,
  priority: Priority,
  token: string | undefined,
): readonly Field[] {
  const text = priorityText(priority);
  return [
    [':method', 'GET'],
    [':authority', HOST],
    [':scheme', scheme],
    [':path', url],
    ...requestFields(url, requestBytes, token).flatMap(compressible),
    ...(text === '' ? [] : [['priority', text] as const]),
  ];
}

/**
 * Converts a field of HTTP/1.1 into fields of HTTP/2 and HTTP/3. There, each cookie is a field of its own, so that
 * cookies that repeat can be compressed (RFC 9113 §8.2.3, RFC 9114 §4.2.1).
 */
function compressible([name, value]: HeadField): readonly Field[] {
  const lower = name.toLowerCase();
  return lower === 'cookie' ? value.split('; ').map(each => [lower, each] as const) : [[lower, value]];
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
  return [[':status', String(response.status)], ...responseHeadFields(response).flatMap(compressible)];
}
