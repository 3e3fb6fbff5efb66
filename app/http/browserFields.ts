import {HOST} from '../page/url.ts';
import {exactField, fitting, type HeadField, lineBytes, opaqueText, type RankedField} from './filler.ts';
import {type RequestKind, requestKind} from './priority.ts';

/**
 * Returns the fields that a browser sends besides Host. They fill a GET up to its configured size: their lines have
 * `roomBytes` bytes in total. The fields, their order and their values are those of Chromium 156 (measured with HTTP/2,
 * 2026), except that User-Agent and sec-ch-ua name this program. Fields that do not fit are left out.
 *
 * Cookies fill the rest, although a browser sends no cookies on its first visit to a site. As with real sites, some
 * cookies are equal in all requests of a page, and the last cookie differs in every request. So most fields of a page
 * repeat, and HPACK and QPACK can compress them. The last cookie has about twenty bytes in a request for a picture
 * whose URL has the usual length. Requests for style sheets and scripts have shorter fields, so their last cookie is
 * longer.
 */
export function browserFields(url: string, roomBytes: number): readonly HeadField[] {
  if (roomBytes < LEAST_BYTES) return [];
  const kind = requestKind(url);
  // The fields and the equal cookies are chosen as for a URL of usual length, so that they do not depend on the URL.
  const usualBytes = roomBytes + url.length - USUAL_URL_BYTES;
  const usual = fieldsWithin(kind, usualBytes - LAST_COOKIE_BYTES);
  const fields = bytesOf(usual) <= roomBytes - LEAST_BYTES ? usual : fieldsWithin(kind, roomBytes - LEAST_BYTES);
  const equalBytes = usualBytes - LAST_COOKIE_BYTES - bytesOf(fieldsWithin('picture', usualBytes - LAST_COOKIE_BYTES));
  const cookie = exactField('Cookie', roomBytes - bytesOf(fields), length => cookies(url, length, equalBytes));
  const languages = fields.findIndex(([name]) => name === 'Accept-Language') + 1;
  const at = languages > 0 ? languages : fields.length;
  return [...fields.slice(0, at), cookie, ...fields.slice(at)];
}

/**
 * Returns cookies with `length` bytes in total. All cookies but the last have at most `equalBytes` bytes together, and
 * do not depend on the URL. The last cookie depends on it.
 */
function cookies(url: string, length: number, equalBytes: number): string {
  const equal = equalCookies(Math.min(equalBytes, length - LAST_VALUE_BYTES));
  const before = equal === '' ? '' : `${equal}; `;
  const last = length - before.length - LAST_NAME.length;
  return last < 0 ? opaqueText(url, length) : `${before}${LAST_NAME}${opaqueText(url, last)}`;
}

/**
 * Returns cookies with at most `bytes` bytes together, including a separator after each cookie. Each cookie has at most
 * {@link LONGEST_COOKIE_BYTES} with its separator.
 */
function equalCookies(bytes: number): string {
  const all: string[] = [];
  for (let left = bytes; left >= LEAST_COOKIE_BYTES; left -= LONGEST_COOKIE_BYTES) {
    const name = `id${all.length}=`;
    all.push(`${name}${opaqueText(name, Math.min(left, LONGEST_COOKIE_BYTES) - name.length - '; '.length)}`);
  }
  return all.join('; ');
}

function fieldsWithin(kind: RequestKind, bytes: number): readonly HeadField[] {
  return fitting(FIELDS[kind], bytes);
}

function bytesOf(fields: readonly HeadField[]): number {
  return fields.reduce((sum, field) => sum + lineBytes(field), 0);
}

const ACCEPT: {readonly [kind in RequestKind]: string} = {
  document:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,' +
    'application/signed-exchange;v=b3;q=0.7',
  style: 'text/css,*/*;q=0.1',
  script: '*/*',
  picture: 'image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};
const DESTINATION: {readonly [kind in RequestKind]: string} = {
  document: 'document',
  style: 'style',
  script: 'script',
  picture: 'image',
};

function fieldsOf(kind: RequestKind): readonly RankedField[] {
  const isDocument = kind === 'document';
  const field = (rank: number, name: string, value: string): RankedField => ({rank, field: [name, value]});
  return [
    field(5, 'sec-ch-ua-platform', '"Linux"'),
    ...(isDocument ? [field(11, 'Upgrade-Insecure-Requests', '1')] : []),
    // This value is as long as Chromium's, which has `Chrome/156.0.0.0` instead of `Interleave/0.0.0`.
    field(
      0,
      'User-Agent',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Interleave/0.0.0 Safari/537.36',
    ),
    field(6, 'sec-ch-ua', '"Not:A-Brand";v="8", "Interleave";v="0"'),
    field(7, 'sec-ch-ua-mobile', '?0'),
    field(1, 'Accept', ACCEPT[kind]),
    field(8, 'Sec-Fetch-Site', isDocument ? 'none' : 'same-origin'),
    field(9, 'Sec-Fetch-Mode', isDocument ? 'navigate' : 'no-cors'),
    field(10, 'Sec-Fetch-Dest', DESTINATION[kind]),
    ...(isDocument ? [] : [field(4, 'Referer', `https://${HOST}/`)]),
    field(2, 'Accept-Encoding', 'gzip, deflate, br, zstd'),
    field(3, 'Accept-Language', 'en-US,en;q=0.9'),
  ];
}

const FIELDS: {readonly [kind in RequestKind]: readonly RankedField[]} = {
  document: fieldsOf('document'),
  style: fieldsOf('style'),
  script: fieldsOf('script'),
  picture: fieldsOf('picture'),
};
/** Size of the smallest line of a Cookie field. A head with less room gets no further fields. */
const LEAST_BYTES = 'Cookie: \r\n'.length;
/**
 * The fields that are equal in all requests are chosen as for a URL of this length. If a URL is shorter, the last
 * cookie is longer.
 */
const USUAL_URL_BYTES = 24;
const LAST_NAME = 'last=';
/** The equal cookies leave at least this many bytes for the last cookie. */
const LAST_VALUE_BYTES = LAST_NAME.length + 8;
const LAST_COOKIE_BYTES = LEAST_BYTES + LAST_VALUE_BYTES;
/** Most cookies of real sites are shorter than this. Each cookie is compressed separately (RFC 9113 §8.2.3). */
const LONGEST_COOKIE_BYTES = 200;
const LEAST_COOKIE_BYTES = 12;
