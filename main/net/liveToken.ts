import {closeSync, constants, fstatSync, openSync, readFileSync} from 'node:fs';
import {messageOf} from '../../app/base/text.ts';
import {checkToken} from './token.ts';

/** The token for a live server, by `HOST:PORT` as a scenario has it; undefined: it is told none. */
export type TokenFor = (live: string) => string | undefined;

/**
 * A server's own token, or that of a place which the command line itself names: the one that was named, or else
 * `INTERLEAVE_TOKEN`, which stands on no command line; either may be `@FILE`. Undefined without one.
 * @throws RangeError if it is none, or its file is not its owner's alone
 */
export function ownToken(named?: string): string | undefined {
  const given = named ?? process.env['INTERLEAVE_TOKEN'];
  if (given === undefined) return undefined;
  const [token = '', ...others] = given.startsWith('@') ? linesOf(given.slice(1)) : [given];
  if (others.length > 0) throw new RangeError(`token file ${given.slice(1)} has more than one line`);
  if (BOUND.test(token)) throw new RangeError('token is bound to HOST:PORT: a server’s own has none in front');
  checkToken(token);
  return token;
}

/**
 * Tokens for servers, each bound to one: `HOST:PORT=TOKEN`, or `@FILE` with such lines; of `INTERLEAVE_TOKEN`, where none
 * is named. Whoever writes a scenario decides where it loads from, so that one which is not bound goes nowhere.
 * @throws RangeError if one that was named is not bound, or as {@link ownToken}
 */
export function boundTokens(named: readonly string[] = []): TokenFor {
  const environment = process.env['INTERLEAVE_TOKEN'];
  const given = named.length > 0 || environment === undefined ? named : [environment];
  const tokens = new Map<string, string>();
  for (const line of given.flatMap(each => (each.startsWith('@') ? linesOf(each.slice(1)) : [each]))) {
    const [, live = '', token = ''] = BOUND.exec(line) ?? [];
    // in the environment it may be a server's own
    if (live === '' && named.length === 0) continue;
    if (live === '') throw new RangeError('token is not bound to a server: must be like 192.0.2.1:9899=TOKEN');
    checkToken(token);
    tokens.set(live.toLowerCase(), token);
  }
  return live => tokens.get(live.toLowerCase());
}

/** Without empty ones. @throws RangeError */
function linesOf(name: string): string[] {
  let file: number;
  try {
    file = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new RangeError(`token file cannot be read: ${messageOf(error)}`);
  }
  try {
    const {uid, mode, size} = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new RangeError(`token file ${name} is no file`);
    // Windows has neither
    const user = process.getuid?.();
    if (user !== undefined && uid !== user)
      throw new RangeError(`token file ${name} is of user ${uid}: must be of ${user}, who runs this`);
    if (user !== undefined && (mode & 0o077) !== 0)
      throw new RangeError(
        `token file ${name} has mode ${(mode & 0o777).toString(8)}: others may have no part in it (chmod 600)`,
      );
    if (size > MOST_FILE_BYTES)
      throw new RangeError(`token file ${name} has ${size} bytes: at most ${MOST_FILE_BYTES}`);
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines.filter(line => line !== '');
  } finally {
    closeSync(file);
  }
}

/** A server as scenarios name it, and what it asks for. */
const BOUND = /^((?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253}):\d{1,5})=(.*)$/i;
const MOST_FILE_BYTES = 64 * 1024;
