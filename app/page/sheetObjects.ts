import {styleReferences} from './styleReferences.ts';
import {objectUrl} from './url.ts';

/** An object that a page loads, named by its HTML or by one of its style sheets. */
export interface FoundObject {
  /** Path and query, as the client requests it. */
  readonly url: string;
  /** Whether it is a style sheet in use, which may name more objects. */
  readonly isSheet: boolean;
}

// Every host has TextDecoder (WHATWG Encoding), but app/ is compiled without the types of any host.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};

/**
 * The objects that a style sheet loads, in order. `base` is the sheet's path and query. Rules that are never used
 * count, too. Duplicates are not removed.
 */
export function styleObjects(css: string, base: string): readonly FoundObject[] {
  return styleReferences(css).flatMap(({kind, reference}) => {
    const url = objectUrl(reference, base);
    return url === undefined ? [] : [{url, isSheet: kind === 'import'}];
  });
}

/** The same for a sheet's bytes, once all have arrived. */
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
 * What a browser does with a link: it loads and applies the sheet, loads it as an inactive alternative, or does
 * neither.
 */
export function sheetLink({rel = '', isDisabled}: LinkElement): 'in use' | 'waiting' | 'none' {
  const kinds = rel.toLowerCase().split(/\s+/);
  if (!kinds.includes('stylesheet')) return 'none';
  return kinds.includes('alternate') || isDisabled ? 'waiting' : 'in use';
}
