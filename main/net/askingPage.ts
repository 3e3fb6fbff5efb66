import type {IncomingHttpHeaders} from 'node:http';
import {isIP} from 'node:net';

/**
 * Whose page has a browser ask, as browsers say (Fetch §3.2, Fetch Metadata §2.3): none's, one's of the host and port that
 * are asked, or another's. Programs say nothing of it.
 */
export function askingPage({host, origin, ...headers}: IncomingHttpHeaders): 'none' | 'same' | 'other' {
  const site = [headers['sec-fetch-site'] ?? 'none'].join();
  // `none` is the user
  if (origin === undefined && site === 'none') return 'none';
  const isSameOrigin = origin === undefined || origin === `http://${host}`;
  return isSameOrigin && ['none', 'same-origin'].includes(site) ? 'same' : 'other';
}

/** Of a Host field: no name that others decide about, and could have lead here (DNS rebinding). */
export function isAddress(host = ''): boolean {
  const [, six, name = six ?? ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}
