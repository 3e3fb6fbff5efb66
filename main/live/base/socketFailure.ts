import {isIPv6} from 'node:net';

/** The other end of a socket. `host` is an IP address. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the reason from {@link systemReason}. If nobody listens, the reason also contains the address and port,
 * because each pane may have its own server, and each transport its own port.
 */
export function reasonAt(place: Place, error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNREFUSED' ? `nobody listens at ${placeText(place)}` : systemReason(error);
}

/** Formats an address and port as `HOST:PORT`, as in scenarios. */
export function placeText({host, port}: Place): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the reason why a socket failed. A failure that simulations also know has the same text as in simulations. A
 * refused connection has a text of its own. For other failures the reason is the system's error code, or the error's
 * message if there is no code.
 */
export function systemReason({code, message}: NodeJS.ErrnoException): string {
  return code === undefined ? message : (REASONS[code] ?? code);
}

const REASONS: {readonly [code: string]: string} = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'peer-abort',
  EPIPE: 'peer-abort',
  ETIMEDOUT: 'data-timeout',
};
