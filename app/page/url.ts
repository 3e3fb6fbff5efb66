// Browsers and Node have URL (WHATWG URL), but app/ is compiled without the types of either.
declare const URL: new (
  url: string,
  base: string,
) => {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
};

/**
 * The host name of every page. The top-level domain `test` is reserved, so the host cannot exist on the Internet (RFC
 * 6761 §6.2).
 */
export const HOST = 'page.test';

/** Returns whether a reference is a `data:` address, which contains its resource. */
export function isDataUrl(reference: string): boolean {
  return /^\s*data:/i.test(reference);
}

/**
 * Returns the scheme, host and port of an address. A relative address is resolved against `base`. The result is
 * undefined if the address is not a URL, or if its scheme is not http or https.
 */
export function originOf(address: string, base = 'about:blank'): string | undefined {
  try {
    const {origin} = new URL(address, base);
    return /^https?:/.test(origin) ? origin : undefined;
  } catch {
    return undefined;
  }
}

const ORIGIN = `http://${HOST}`;

/**
 * Returns the path and query of a reference. `base` is the path and query of the object that contains it. Returns
 * undefined if the reference is empty, names another host or port, does not use `http:`, or is not a URL.
 */
export function objectUrl(reference: string, base: string): string | undefined {
  if (reference.trim() === '') return undefined;
  try {
    const url = new URL(reference.trim(), ORIGIN + base);
    return url.origin === ORIGIN ? url.pathname + url.search : undefined;
  } catch {
    return undefined;
  }
}
