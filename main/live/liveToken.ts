import {isToken, TOKEN_LIMIT} from '../gateway/token.ts';

/**
 * What a live server asks for in every request: the one that was named, or else `INTERLEAVE_TOKEN`, which stands on no
 * command line. Undefined without one.
 * @throws RangeError if it is none that a header can have
 */
export function liveToken(named?: string): string | undefined {
  const token = named ?? process.env['INTERLEAVE_TOKEN'];
  if (token !== undefined && !isToken(token))
    throw new RangeError(`token has characters that none may have: ${TOKEN_LIMIT}`);
  return token;
}
