import {createHash, timingSafeEqual} from 'node:crypto';

/** What a token is: whatever a header can have without a blank. */
export const TOKEN_LIMIT = 'ASCII without spaces, 1 to 1000';

export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{1,1000}$/.test(text);
}

/** Tells of an Authorization field whether it has the token (RFC 6750 §2.1). */
export function tokenChecker(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(token);
  return (authorization = '') => {
    const given = /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
    // digests: in the same time however much of it is right, and however long it is
    return timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
