// WHATWG URL, in every host; app/ is compiled without any host's types.
declare const URL: new (
  url: string,
  base: string,
) => {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
};

/** The page's host: a name that can never be anybody's (RFC 6761 §6.2). */
export const HOST = 'page.test';

/** A `data:` address, which holds what it names. */
export function isInPlace(reference: string): boolean {
  return /^\s*data:/i.test(reference);
}

const ORIGIN = `http://${HOST}`;

/**
 * Path and query of a reference in a page at `base` (path and query); undefined for one that another host
 * has, that is not HTTP, or that is not a URL.
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
