import {apache} from './apache.ts';
import {caddy, caddy211} from './caddy.ts';
import {h2o} from './h2o.ts';
import {nginx} from './nginx.ts';
import {plain} from './plain.ts';
import type {Server} from './server.ts';

/** All servers, in the order in which the user can choose them. */
export const SERVERS = [plain, nginx, caddy, caddy211, h2o, apache] as const;

export type ServerName = (typeof SERVERS)[number]['name'];

/** Returns the server with this name. @throws RangeError if there is none, which is a bug: names are checked before */
export function serverOf(name: ServerName): Server {
  const found = SERVERS.find(server => server.name === name);
  if (found === undefined) throw new RangeError(`invalid server: ${name}`);
  return found;
}
