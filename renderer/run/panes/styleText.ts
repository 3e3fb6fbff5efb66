import {type Edit, edited} from '../../../app/page/edits.ts';
import {isHugeInPlace} from '../../../app/page/imageSize.ts';
import {type Declaration, type StyleReference, styleReferences} from '../../../app/page/styleReferences.ts';
import {closersOf} from '../../../app/page/styleTokens.ts';
import {objectUrl} from '../../../app/page/url.ts';

/** A style sheet that was read: its text and its references, in whose place other text will stand. */
export interface StyleSource {
  readonly css: string;
  readonly parts: readonly StylePart[];
  /** Pictures in the text itself (`data:` addresses) that are too large to show. */
  readonly huge: readonly Pick<StyleReference, 'start' | 'end'>[];
  /** What closes everything that the text leaves open, for when it stands inside of another sheet. */
  readonly closers: string;
}

export interface StylePart extends Pick<StyleReference, 'kind' | 'start' | 'end' | 'rule' | 'others'> {
  readonly object: number;
}

/** The objects of the page that are complete. */
export interface StyleObjects {
  /** A complete style sheet; undefined before. */
  readonly sheet: (object: number) => StyleSource | undefined;
  /** The address of a complete font; undefined before. */
  readonly font: (object: number) => string | undefined;
}

/** What is needed to read a style sheet. */
export interface StyleReading {
  /** The object at a path and query; undefined if the page has none there. */
  readonly objectOf: (url: string) => number | undefined;
  /** Whether the browser accepts a declaration. One that it drops stays unchanged, so that it is still dropped. */
  readonly isTaken: (property: string, value: string) => boolean;
}

/** Reads a style sheet at `base` (path and query). References that are not to the page's objects stay unchanged. */
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

/** Stands for a picture that has not come yet. A declaration with it is still valid. */
const NO_PICTURE = 'url("data:,")';

/** The objects that a sheet refers to, with those of the sheets that it imports, as far as these have come. */
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

/** The name of the custom property that holds an object's picture. */
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
