import type {IncomingHttpHeaders} from 'node:http';
import {isIP} from 'node:net';

/**
 * Finds out from a request's fields whether a page in a browser caused the request (Fetch §3.2, Fetch Metadata §2.3).
 * The result is 'same' for a page of the requested host and port, and 'other' for any other page. It is 'none' if no
 * page caused the request. Programs other than browsers do not send these fields and count as 'none'.
 */
export function askingPage({host, origin, ...headers}: IncomingHttpHeaders): 'none' | 'same' | 'other' {
  const site = [headers['sec-fetch-site'] ?? 'none'].join();
  // Browsers send `none` if the user typed the address.
  if (origin === undefined && site === 'none') return 'none';
  const isSameOrigin = origin === undefined || origin === `http://${host}`;
  return isSameOrigin && ['none', 'same-origin'].includes(site) ? 'same' : 'other';
}

/**
 * Whether a Host field is an IP address or `localhost`. Any other name may belong to somebody who resolves it to this
 * machine (DNS rebinding).
 */
export function isAddress(host = ''): boolean {
  const [, six, name = six ?? ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}
