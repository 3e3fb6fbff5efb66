import {exactField, fitting, type HeadField, lineBytes, opaqueText, type RankedField} from './filler.ts';

/**
 * Returns the fields that a server sends besides Content-Type and Content-Length. They fill a response's head up to
 * `headBytes` bytes: their lines have `roomBytes` bytes in total. The fields are those of nginx and of sites with a
 * security policy. Fields that do not fit are left out.
 *
 * ETag fills the rest and differs for each object, which `key` identifies. All other fields are equal in all responses
 * of a page that have room for them, so HPACK and QPACK can compress them.
 */
export function serverFields(
  key: string,
  {headBytes, roomBytes}: {readonly headBytes: number; readonly roomBytes: number},
): readonly HeadField[] {
  if (roomBytes < LEAST_BYTES) return [];
  // The status line, Content-Type and Content-Length are counted with their usual length here, not with that of this
  // object. So every object of a page gets the same fields.
  const usual = equalFields(headBytes - USUAL_HEAD_BYTES - ETAG_BYTES);
  const fields = bytesOf(usual) <= roomBytes - LEAST_BYTES ? usual : fitting(FIELDS, roomBytes - LEAST_BYTES);
  return [...fields, exactField('ETag', roomBytes - bytesOf(fields), length => quoted(key, length))];
}

function equalFields(bytes: number): readonly HeadField[] {
  const fields = fitting(FIELDS, bytes);
  const policyBytes = bytes - bytesOf(fields);
  return policyBytes < LEAST_POLICY_BYTES ? fields : [...fields, policy(policyBytes)];
}

function policy(bytes: number): HeadField {
  return exactField('Content-Security-Policy', bytes, length =>
    POLICY.repeat(length / POLICY.length + 1).slice(0, length),
  );
}

/** Returns an entity tag (RFC 9110 §8.8.3) of `length` bytes, or unquoted text if there is no room for the quotes. */
function quoted(key: string, length: number): string {
  return length < 2 ? opaqueText(key, length) : `"${opaqueText(key, length - 2)}"`;
}

function bytesOf(fields: readonly HeadField[]): number {
  return fields.reduce((sum, field) => sum + lineBytes(field), 0);
}

/** Virtual time has no date. By convention a run begins at the start of the year 2000. */
const DATE = 'Sat, 01 Jan 2000 00:00:00 GMT';
const FIELDS: readonly RankedField[] = [
  {rank: 0, field: ['Server', 'nginx']},
  {rank: 1, field: ['Date', DATE]},
  {rank: 3, field: ['Last-Modified', 'Fri, 31 Dec 1999 12:00:00 GMT']},
  {rank: 4, field: ['Accept-Ranges', 'bytes']},
  {rank: 2, field: ['Cache-Control', 'public, max-age=31536000']},
  {rank: 5, field: ['Vary', 'Accept-Encoding']},
  {rank: 6, field: ['X-Content-Type-Options', 'nosniff']},
];
const POLICY = "default-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'; ";
/** Size of the smallest line of an ETag field. A head with less room gets no further fields. */
const LEAST_BYTES = 'ETag: \r\n'.length;
/**
 * The length that a head usually has before this file adds fields. It is used instead of the real length to choose the
 * fields that are equal in all responses.
 */
const USUAL_HEAD_BYTES = 'HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 10000\r\n\r\n'.length;
/** Size of the line with nginx's ETag, which consists of a time and a size. */
const ETAG_BYTES = 'ETag: "386cc0c0-2710"\r\n'.length;
const LEAST_POLICY_BYTES = 60;
