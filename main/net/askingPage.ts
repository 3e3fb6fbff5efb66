import type {IncomingHttpHeaders} from 'node:http';
import {isIP} from 'node:net';

/**
 * Which page, if any, made a browser send this request, as browsers say (Fetch §3.2, Fetch Metadata §2.3): none, a page
 * of the host and port that are asked, or another page. Programs other than browsers send no such fields and count as
 * 'none'.
 */
export function askingPage({host, origin, ...headers}: IncomingHttpHeaders): 'none' | 'same' | 'other' {
  const site = [headers['sec-fetch-site'] ?? 'none'].join();
  // `none` means that the user typed the address
  if (origin === undefined && site === 'none') return 'none';
  const isSameOrigin = origin === undefined || origin === `http://${host}`;
  return isSameOrigin && ['none', 'same-origin'].includes(site) ? 'same' : 'other';
}

/**
 * Whether a Host field is an IP address or `localhost`. A name could be one that somebody else resolves to this machine
 * (DNS rebinding).
 */
export function isAddress(host = ''): boolean {
  const [, six, name = six ?? ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}
