import {edited} from '../../app/page/edits.ts';
import {closersOf, type StyleReference, styleReferences} from '../../app/page/styleReferences.ts';
import {objectUrl} from '../../app/page/url.ts';

/** What a style sheet's text is made of: its own, and what stands in the place of each of its references. */
export interface StyleSource {
  readonly css: string;
  readonly parts: readonly StylePart[];
  /** What closes all that it leaves open, where it stands in another. */
  readonly closers: string;
}

export interface StylePart extends Pick<StyleReference, 'kind' | 'start' | 'end' | 'rule'> {
  readonly object: number;
}

/** What of the page's objects there is now. */
export interface StyleObjects {
  /** A sheet that has come, read; undefined before. */
  readonly sheet: (object: number) => StyleSource | undefined;
  /** Where a font can be had that has come; undefined before. */
  readonly font: (object: number) => string | undefined;
}

/** Reads a style sheet that stands at `base` (path and query); what is no object of the page stays as it is. */
export function readStyle(
  css: string,
  base: string,
  objectOf: (url: string) => number | undefined,
): StyleSource {
  const parts = styleReferences(css).flatMap(({kind, reference, start, end, rule}): StylePart[] => {
    const url = objectUrl(reference, base);
    const object = url === undefined ? undefined : objectOf(url);
    return object === undefined ? [] : [{kind, object, start, end, ...(rule === undefined ? {} : {rule})}];
  });
  return {css, parts, closers: closersOf(css)};
}

/**
 * A style sheet's text with what there is: pictures are custom properties that somebody sets (`pictureProperty`), sheets
 * that it imports stand in it. Differs: each stands in it once, at its first place (in a browser the last holds, and
 * sheets that import each other grow with their factorial).
 */
export function styleText(
  source: StyleSource,
  objects: StyleObjects,
  imported: Set<number> = new Set(),
): string {
  return edited(
    source.css,
    source.parts.map(({kind, object, start, end, rule}) => {
      if (kind === 'image') return {start, end, text: `var(${pictureProperty(object)}, ${NO_PICTURE})`};
      if (kind === 'font') return {start, end, text: `url("${objects.font(object) ?? 'data:,'}")`};
      return {...(rule ?? {start, end}), text: importedText(object, rule?.media ?? '', objects, imported)};
    }),
  );
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
