import {isAddress, type PageSource} from '../../../app/run/scenario/pageSource.ts';

/** Reads a typed address and adds the scheme if it is missing. Returns null if the text is not an address. */
export function typedAddress(typed: string): string | null {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return null;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // local servers usually have no certificate
  const scheme = OWN_HOST.test(text) ? 'http' : 'https';
  const url = URL.parse(hasScheme ? text : `${scheme}://${text}`);
  return url !== null && isAddress(url.href) && url.hostname !== '' ? url.href : null;
}

/** The address that a page was or will be fetched from. Null if the page has no address. */
export function pageAddress(page: PageSource): string | null {
  if (page.kind === 'synthetic') return null;
  return isAddress(page.name) ? page.name : null;
}

/** Matches a host that is this machine or an IP address. */
const OWN_HOST = /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?=[:/?#]|$)/i;
