import type {Page} from './page.ts';
import {originOf} from './url.ts';

/**
 * Says which hosts of a page share one server with one certificate: none (`host`), those of the same site (`site`), or
 * all (`page`).
 */
export type Certificate = (typeof CERTIFICATES)[number];

export const CERTIFICATES = ['host', 'site', 'page'] as const;

/** The origins of a page. */
export interface Origins {
  /** Scheme, host and port of each origin. The first is that of the document. */
  readonly names: readonly string[];
  /** The index in `names` of the origin of each object. */
  readonly of: readonly number[];
}

/**
 * Returns the origins of a page's objects, which are taken from their addresses. An object without an address has the
 * origin of the document. At most {@link MOST_ORIGINS} are distinguished; objects of further origins count as objects
 * of the document's origin.
 */
export function originsOf({objects}: Pick<Page, 'objects'>): Origins {
  let origins = originsOfObjects.get(objects);
  if (origins === undefined) {
    origins = newOrigins(objects);
    originsOfObjects.set(objects, origins);
  }
  return origins;
}

/** The origins that were found before. Each list of objects belongs to one page, which most runs load many times. */
const originsOfObjects = new WeakMap<Page['objects'], Origins>();

function newOrigins(objects: Page['objects']): Origins {
  const own = documentOrigin({objects});
  const names = [own];
  const of = objects.map(({address}) => {
    const name = address === undefined ? own : (originOf(address) ?? own);
    const known = names.indexOf(name);
    if (known >= 0) return known;
    return names.length === MOST_ORIGINS ? 0 : names.push(name) - 1;
  });
  return {names, of};
}

/** The origin of a page's document. It is empty if the document has no address. */
export function documentOrigin({objects}: Pick<Page, 'objects'>): string {
  const address = objects[0]?.address;
  return address === undefined ? '' : (originOf(address) ?? '');
}

/** The host name of an origin, without its port. */
export function hostOf(origin: string): string {
  return /^https?:\/\/(\[[^\]]*\]|[^:]*)/.exec(origin)?.[1] ?? origin;
}

/** Whether one server with one certificate serves two origins. */
export function isShared(a: string, b: string, certificate: Certificate): boolean {
  if (a === b || certificate === 'page') return true;
  return certificate === 'site' && siteOf(a) === siteOf(b);
}

/** The last two labels of a host name, which stand for its site. */
function siteOf(origin: string): string {
  return hostOf(origin).split('.').slice(-2).join('.');
}

/** The largest number of origins that are distinguished. The largest pages of today have about a hundred origins. */
const MOST_ORIGINS = 200;
