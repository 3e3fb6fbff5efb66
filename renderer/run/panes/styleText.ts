import {type Edit, edited} from '../../../app/page/edits.ts';
import {isHugeDataUrl} from '../../../app/page/imageSize.ts';
import {type Declaration, type StyleReference, styleReferences} from '../../../app/page/styleReferences.ts';
import {closersOf} from '../../../app/page/styleTokens.ts';
import {objectUrl} from '../../../app/page/url.ts';

/** A style sheet that was read: its text, and the references that {@link styleText} replaces. */
export interface StyleSource {
  readonly css: string;
  readonly parts: readonly StylePart[];
  /** Pictures inside the text itself (`data:` addresses) that are too large to be shown. */
  readonly huge: readonly Pick<StyleReference, 'start' | 'end'>[];
  /**
   * The text to append if the sheet is inserted into another sheet. It closes every block that the sheet leaves open.
   */
  readonly closers: string;
}

export interface StylePart extends Pick<StyleReference, 'kind' | 'start' | 'end' | 'rule' | 'others'> {
  readonly object: number;
}

/** The objects of the page that are complete. */
export interface StyleObjects {
  /** The style sheet of an object; undefined until it is complete. */
  readonly sheet: (object: number) => StyleSource | undefined;
  /** The address of an object's font; undefined until it is complete. */
  readonly font: (object: number) => string | undefined;
}

/** What is needed for reading a style sheet. */
export interface StyleReading {
  /** The object with this path and query; undefined if the page has no such object. */
  readonly objectOf: (url: string) => number | undefined;
  /**
   * Whether the browser accepts a declaration. References to objects stay unchanged in a declaration that it does not
   * accept.
   */
  readonly isTaken: (property: string, value: string) => boolean;
}

/**
 * Reads a style sheet at `base` (path and query). It finds the references to objects of the page, and pictures inside
 * the text that are too large to be shown. All other references stay unchanged in the text.
 */
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
  const huge = references.filter(({reference}) => isHugeDataUrl(reference));
  return {css, parts, huge, closers: closersOf(css)};
}

/**
 * The text of a style sheet with its references replaced. A picture becomes a custom property (`pictureProperty`),
 * which the caller sets. A font gets its address. An import becomes the text of the imported sheet. Declarations that
 * the browser does not accept get no custom property, because a browser accepts every declaration that has one (CSS
 * Variables 1 §3.1).
 *
 * If a sheet is imported several times, only the first import is replaced, and the others are removed. This differs
 * from browsers, in which the last import counts. But if all imports were replaced, the text of sheets that import each
 * other would grow with the factorial of their number.
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

/** Replaces a picture that is not delivered yet, or is too large to be shown, so that the declaration stays valid. */
const NO_PICTURE = 'url("data:,")';

/**
 * The objects that a sheet and its imported sheets refer to. An imported sheet that is incomplete is in the result, but
 * the objects that it refers to are not.
 */
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

/** The name of the custom property whose value is an object's picture. */
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
