import {Parser} from 'htmlparser2';
import {edited} from '../../../app/page/edits.ts';

/** The attribute that holds the number of an element. It is added before a browser gets the document. */
export const MARK = 'data-interleave-mark';

/** Where an element stands in HTML, as offsets in characters. */
export interface Extent {
  readonly name: string;
  /** The `<` of the start tag. */
  readonly start: number;
  /** The first character after the start tag. */
  readonly opened: number;
  /** The first character after the element. */
  readonly closed: number;
}

/**
 * Numbers all elements of a document. The n-th start tag gets the attribute {@link MARK} with the value n, counted from
 * 0. Elements that scripts insert later have no number.
 */
export function marked(html: string, extents = extentsOf(html)): string {
  const edits = extents.map(({name, start}, n) => {
    const at = start + '<'.length + name.length;
    return {start: at, end: at, text: ` ${MARK}="${n}"`};
  });
  return edited(html, edits);
}

/** The extents of the elements, in the order of their start tags. Elements without a start tag are left out. */
export function extentsOf(html: string): readonly Extent[] {
  const extents: {name: string; start: number; opened: number; closed: number}[] = [];
  const open: number[] = [];
  const parser: Parser = new Parser({
    onopentagname: name => {
      const start = parser.startIndex;
      if (html.slice(start, start + 1 + name.length).toLowerCase() !== `<${name}`) return;
      open.push(extents.push({name, start, opened: html.length, closed: html.length}) - 1);
    },
    onopentag: () => {
      const last = extents[open.at(-1) ?? -1];
      if (last !== undefined && last.opened === html.length) last.opened = parser.endIndex + 1;
    },
    onclosetag: (name, isImplied) => {
      const at = open.findLastIndex(n => extents[n]?.name === name);
      const [closing] = at < 0 ? [] : open.splice(at);
      const extent = extents[closing ?? -1];
      if (extent !== undefined)
        extent.closed = Math.max(extent.opened, isImplied ? parser.startIndex : parser.endIndex + 1);
    },
  });
  parser.end(html);
  return extents;
}
