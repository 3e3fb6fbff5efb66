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

const ORIGIN = `http://${HOST}`;

/**
 * Path and query of a reference in a page at `base` (path and query); undefined for one that another host
 * has, that is not HTTP, that is not a URL, or that is longer than servers take.
 */
export function objectUrl(reference: string, base: string): string | undefined {
  // a long base would stand in every object's URL
  if (reference.trim() === '' || reference.length > LONGEST_URL) return undefined;
  try {
    const url = new URL(reference.trim(), ORIGIN + base);
    const found = url.pathname + url.search;
    return url.origin === ORIGIN && found.length <= LONGEST_URL ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Characters: what Apache and nginx take as a request's line, by default. */
const LONGEST_URL = 8000;
