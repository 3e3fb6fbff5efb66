import {Parser} from 'htmlparser2';
import {objectUrl} from './url.ts';

// WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const TextDecoder: new (
  label: string,
) => {decode(bytes: Uint8Array, options: {stream: boolean}): string};

/**
 * Finds a page's objects as its HTML arrives, as a browser's preload scanner does: images, style sheets,
 * scripts, each once, in the order of the HTML. What scripts or style sheets would load is not followed,
 * and neither is what another host has.
 */
export class ObjectScanner {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #parser: Parser;
  readonly #seen = new Set<string>();
  #found: string[] = [];
  #templateDepth = 0;
  #base: string;

  /** `indexUrl` is where the HTML is from: relative URLs start there. */
  constructor(indexUrl: string) {
    this.#base = indexUrl;
    this.#seen.add(indexUrl);
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      onclosetag: name => {
        if (name === 'template') this.#templateDepth -= 1;
      },
    });
  }

  /** Takes the next bytes of the HTML; gives the URLs that are complete with them and new. */
  push(bytes: Uint8Array): readonly string[] {
    this.#parser.write(this.#decoder.decode(bytes, {stream: true}));
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'template') this.#templateDepth += 1;
    if (this.#templateDepth > 0) return; // inert (HTML §4.12.3)
    if (name === 'base' && attributes['href'] !== undefined) {
      this.#base = objectUrl(attributes['href'], this.#base) ?? this.#base;
      return;
    }
    const reference = referenceOf(name, attributes);
    const url = reference === undefined ? undefined : objectUrl(reference, this.#base);
    if (url === undefined || this.#seen.has(url)) return;
    this.#seen.add(url);
    this.#found.push(url);
  }
}

/** What a tag loads. `srcset` is left aside: its choice depends on the screen, and `src` is its fallback. */
function referenceOf(name: string, attributes: Readonly<Record<string, string>>): string | undefined {
  if (name === 'img' || name === 'script') return attributes['src'];
  if (name !== 'link') return undefined;
  const rel = (attributes['rel'] ?? '').toLowerCase().split(/\s+/);
  return rel.includes('stylesheet') ? attributes['href'] : undefined;
}
