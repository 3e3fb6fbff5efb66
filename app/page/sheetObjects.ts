import {styleReferences} from './styleReferences.ts';
import {objectUrl} from './url.ts';

/** An object that a page loads because its HTML or one of its style sheets names it. */
export interface FoundObject {
  /** The path and query that the client requests. */
  readonly url: string;
  /** Whether the object is a style sheet that is applied, and may therefore name more objects. */
  readonly isSheet: boolean;
}

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};

/**
 * Returns the objects that a style sheet loads, in order. `base` is the sheet's path and query. Objects of unused rules
 * are included. Duplicates are not removed.
 */
export function styleObjects(css: string, base: string): readonly FoundObject[] {
  return styleReferences(css).flatMap(({kind, reference}) => {
    const url = objectUrl(reference, base);
    return url === undefined ? [] : [{url, isSheet: kind === 'import'}];
  });
}

/**
 * Returns the objects that a style sheet loads, given the bytes of the whole sheet. `url` is the sheet's path and
 * query.
 */
export function sheetObjects(css: Uint8Array, url: string): readonly FoundObject[] {
  // Some decoders refuse memory that is shared between threads, so the bytes are copied.
  return styleObjects(new TextDecoder('utf-8').decode(css.slice()), url);
}

/** The attributes of a link element that decide whether it loads a style sheet. */
export interface LinkElement {
  readonly rel: string | undefined;
  readonly isDisabled: boolean;
}

/**
 * Returns `in use` if a browser loads and applies the style sheet of a link, `waiting` if the style sheet is an
 * alternative or disabled, so that it is not applied, and `none` if the link is not for a style sheet. The attribute
 * `media` is not considered.
 */
export function sheetLink({rel = '', isDisabled}: LinkElement): 'in use' | 'waiting' | 'none' {
  const kinds = rel.toLowerCase().split(/\s+/);
  if (!kinds.includes('stylesheet')) return 'none';
  return kinds.includes('alternate') || isDisabled ? 'waiting' : 'in use';
}
