import {styleReferences} from './styleReferences.ts';
import {objectUrl} from './url.ts';

/** What a page loads, named by it or by one of its style sheets. */
export interface FoundObject {
  /** Path and query, as the client asks for it. */
  readonly url: string;
  /** A style sheet in use: it may name more. */
  readonly isSheet: boolean;
}

// WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};

/**
 * What the text of a style sheet loads that stands at `base` (path and query), in its order; whether a rule is ever
 * used is not looked at. Once each is the caller's.
 */
export function styleObjects(css: string, base: string): readonly FoundObject[] {
  return styleReferences(css).flatMap(({kind, reference}) => {
    const url = objectUrl(reference, base);
    return url === undefined ? [] : [{url, isSheet: kind === 'import'}];
  });
}

/** {@link styleObjects} of a sheet's bytes, when all of them have come. */
export function sheetObjects(css: Uint8Array, url: string): readonly FoundObject[] {
  // not every decoder takes what threads share
  return styleObjects(new TextDecoder('utf-8').decode(css.slice()), url);
}
