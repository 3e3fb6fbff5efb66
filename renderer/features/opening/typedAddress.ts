import {showName} from '../../../app/base/text.ts';
import {isAddress, type PageSource} from '../../../app/run/scenario/pageSource.ts';

/**
 * Returns the address that a typed text means, or says why the text is not an address. Both are null if nothing was
 * typed.
 */
export function readTypedAddress(typed: string): {readonly address: string | null; readonly problem: string | null} {
  const text = typed.trim();
  if (text === '') return {address: null, problem: null};
  if (LOCAL_PATH.test(text)) {
    const problem = `${showName(text, 80)} is a file on this computer, not an address: open it with ‘Open’ (Ctrl O), or drop it on the window`;
    return {address: null, problem};
  }
  const address = typedAddress(text);
  if (address !== null) return {address, problem: null};
  return {
    address,
    problem: `${showName(text, 80)} is not the address of a page, such as example.org or https://example.org/a`,
  };
}

/** Reads a typed address and adds the scheme if it is missing. Returns null if the text is not an address. */
export function typedAddress(typed: string): string | null {
  const text = typed.trim();
  if (text === '' || /\s/.test(text) || LOCAL_PATH.test(text)) return null;
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

/** Matches the path of a file: absolute, relative to a folder, in the home folder, with a drive, or as a file: URL. */
const LOCAL_PATH = /^(\/|\.{1,2}[/\\]|~[/\\]|\\\\|[a-z]:[/\\]|file:)/i;
