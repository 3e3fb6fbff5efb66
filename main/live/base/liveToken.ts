import {closeSync, constants, fstatSync, openSync, readFileSync} from 'node:fs';
import {messageOf} from '../../../app/base/text.ts';
import {checkToken} from '../../net/token.ts';

/**
 * Returns the token for a live server. Undefined if the program sends this server no token. `live` is the server's
 * `HOST:PORT`, written as in the scenario.
 */
export type TokenFor = (live: string) => string | undefined;

/**
 * The token for what the command line starts: a server, an emulated path or one end of a shim. If `named` is undefined,
 * the token is read from the environment variable `INTERLEAVE_TOKEN`, which does not appear in the process list.
 * Instead of the token, `named` or the variable may contain `@FILE`, which names a file with the token. Returns
 * undefined if neither is given.
 * @throws RangeError if the token is not valid or is bound to a server, if the file has more than one line, or for the
 * reasons of {@link linesOf}
 */
export function ownToken(named?: string): string | undefined {
  const given = named ?? process.env['INTERLEAVE_TOKEN'];
  if (given === undefined) return undefined;
  const [token = '', ...others] = given.startsWith('@') ? linesOf(given.slice(1)) : [given];
  if (others.length > 0) throw new RangeError(`token file ${given.slice(1)} has more than one line`);
  if (BOUND.test(token)) throw new RangeError('token is bound to HOST:PORT, but this command needs TOKEN alone');
  checkToken(token);
  return token;
}

/**
 * Parses tokens that are each bound to one server. Each of `named` is `HOST:PORT=TOKEN`, or `@FILE` for a file with
 * such lines. If `named` is empty, the environment variable `INTERLEAVE_TOKEN` is read instead. A token that is bound
 * to no server is never sent, because the author of a scenario chooses the servers and could collect it.
 * @throws RangeError if a token of `named` has no HOST:PORT, if a token is not valid, or for the reasons of {@link
 * linesOf}
 */
export function boundTokens(named: readonly string[] = []): TokenFor {
  const environment = process.env['INTERLEAVE_TOKEN'];
  const given = named.length > 0 || environment === undefined ? named : [environment];
  const tokens = new Map<string, string>();
  for (const line of given.flatMap(each => (each.startsWith('@') ? linesOf(each.slice(1)) : [each]))) {
    const [, live = '', token = ''] = BOUND.exec(line) ?? [];
    // The environment variable may contain the token of {@link ownToken}, which is bound to no server. It is ignored
    // here.
    if (live === '' && named.length === 0) continue;
    if (live === '') throw new RangeError('token names no server: must be HOST:PORT=TOKEN, like 192.0.2.1:9899=TOKEN');
    checkToken(token);
    tokens.set(live.toLowerCase(), token);
  }
  return live => tokens.get(live.toLowerCase());
}

/**
 * The lines of a token file that are not empty. @throws RangeError if the file cannot be read, is not a regular file,
 * is too large, belongs to another user, or can be accessed by other users
 */
function linesOf(name: string): string[] {
  let file: number;
  try {
    file = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new RangeError(`token file cannot be read: ${messageOf(error)}`);
  }
  try {
    const {uid, mode, size} = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG)
      throw new RangeError(`token file ${name} is not a regular file`);
    // On Windows `user` is undefined. Windows does not have these permissions, so they are not checked there.
    const user = process.getuid?.();
    if (user !== undefined && uid !== user)
      throw new RangeError(`token file ${name} belongs to user ${uid}: must belong to ${user}, who runs this program`);
    if (user !== undefined && (mode & 0o077) !== 0)
      throw new RangeError(
        `token file ${name} has mode ${(mode & 0o777).toString(8)}: must be accessible to its owner only (chmod 600)`,
      );
    if (size > MOST_FILE_BYTES)
      throw new RangeError(`token file ${name} has ${size} bytes: must have at most ${MOST_FILE_BYTES}`);
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines.filter(line => line !== '');
  } finally {
    closeSync(file);
  }
}

/** `HOST:PORT=TOKEN`, with HOST:PORT as in scenarios. */
const BOUND = /^((?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253}):\d{1,5})=(.*)$/i;
const MOST_FILE_BYTES = 64 * 1024;
