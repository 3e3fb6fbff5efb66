import {type Edit, edited} from '../../../app/page/edits.ts';
import {isHugeInPlace} from '../../../app/page/imageSize.ts';
import {type Declaration, type StyleReference, styleReferences} from '../../../app/page/styleReferences.ts';
import {closersOf} from '../../../app/page/styleTokens.ts';
import {objectUrl} from '../../../app/page/url.ts';

/** What a style sheet's text is made of: its own, and what stands in the place of each of its references. */
export interface StyleSource {
  readonly css: string;
  readonly parts: readonly StylePart[];
  /** Pictures that it holds itself and of which nothing is shown. */
  readonly huge: readonly Pick<StyleReference, 'start' | 'end'>[];
  /** What closes all that it leaves open, where it stands in another. */
  readonly closers: string;
}

export interface StylePart extends Pick<StyleReference, 'kind' | 'start' | 'end' | 'rule' | 'others'> {
  readonly object: number;
}

/** What of the page's objects there is now. */
export interface StyleObjects {
  /** A sheet that has come, read; undefined before. */
  readonly sheet: (object: number) => StyleSource | undefined;
  /** Where a font can be had that has come; undefined before. */
  readonly font: (object: number) => string | undefined;
}

/** What a style sheet is read for. */
export interface StyleReading {
  /** By path and query; undefined for what is none of the page's. */
  readonly objectOf: (url: string) => number | undefined;
  /** Whether the browser takes a declaration; what it drops is left as it is, for it to drop. */
  readonly isTaken: (property: string, value: string) => boolean;
}

/** Reads a style sheet that stands at `base` (path and query); what is no object of the page stays as it is. */
export function readStyle(css: string, base: string, {objectOf, isTaken}: StyleReading): StyleSource {
  const asked = new Map<Declaration, boolean>();
  const isDropped = (declaration: Declaration): boolean => {
    const known = asked.get(declaration) ?? isTaken(declaration.property, declaration.value);
    asked.set(declaration, known);
    return !known;
  };
  const references = styleReferences(css);
  const parts = references.flatMap(({reference, declaration, ...part}): StylePart[] => {
    const url = objectUrl(reference, base);
    const object = url === undefined ? undefined : objectOf(url);
    if (object === undefined || (declaration !== undefined && isDropped(declaration))) return [];
    return [{...part, object}];
  });
  const huge = references.filter(({reference}) => isHugeInPlace(reference));
  return {css, parts, huge, closers: closersOf(css)};
}

/**
 * A style sheet's text with what there is: pictures are custom properties that somebody sets (`pictureProperty`),
 * sheets that it imports stand in it. Differs: each stands in it once, at its first place (in a browser the last holds,
 * and sheets that import each other grow with their factorial). A declaration with a custom property is never dropped,
 * so that those that a browser drops have none (CSS Variables 1 §3.1).
 */
export function styleText(source: StyleSource, objects: StyleObjects, imported: Set<number> = new Set()): string {
  const edits = source.parts.flatMap(({kind, object, start, end, rule, others}): Edit[] => {
    if (kind === 'image') {
      const cut = others === undefined ? [] : [{...others, text: ''}];
      return [{start, end, text: `var(${pictureProperty(object)}, ${NO_PICTURE})`}, ...cut];
    }
    if (kind === 'font') return [{start, end, text: `url("${objects.font(object) ?? 'data:,'}")`}];
    const {media, ...place} = rule ?? {start, end, media: ''};
    return [{...place, text: importedText(object, media, objects, imported)}];
  });
  const emptied = source.huge.map(({start, end}) => ({start, end, text: NO_PICTURE}));
  return edited(source.css, [...edits, ...emptied]);
}

/** Of a picture that is not there yet: a declaration with it still holds. */
const NO_PICTURE = 'url("data:,")';

/** The objects of a source, and of all that it imports as far as that has come. */
export function partsOf(
  source: StyleSource,
  sheet: StyleObjects['sheet'],
  found: Map<number, StylePart> = new Map(),
): ReadonlyMap<number, StylePart> {
  for (const part of source.parts) {
    if (found.has(part.object)) continue;
    found.set(part.object, part);
    const imported = part.kind === 'import' ? sheet(part.object) : undefined;
    if (imported !== undefined) partsOf(imported, sheet, found);
  }
  return found;
}

/** The custom property that is an object's picture. */
export function pictureProperty(object: number): string {
  return `--interleave-picture-${object}`;
}

function importedText(object: number, media: string, objects: StyleObjects, imported: Set<number>): string {
  const source = imported.has(object) ? undefined : objects.sheet(object);
  if (source === undefined) return '';
  imported.add(object);
  const text = styleText(source, objects, imported) + source.closers;
  return media === '' ? `${text}\n` : `@media ${media} {${text}\n}`;
}
