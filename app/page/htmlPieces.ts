import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/** A page's HTML, split into its structure and its content. Together they cover every byte. */
export interface HtmlPieces {
  /** Tags, and content that is too short to be moved. In order. */
  readonly markup: readonly HtmlRange[];
  /** Text, and the contents of comments, scripts and style sheets. In order. Each range lies within one element. */
  readonly data: readonly HtmlRange[];
}

/** Splits HTML. Content shorter than `leastDataBytes` stays with the tags around it. */
export function splitHtml(html: Uint8Array, leastDataBytes: number): HtmlPieces {
  const data = joinedRanges(dataOf(html)).filter(({first, end}) => end - first >= leastDataBytes);
  const markup: HtmlRange[] = [];
  let at = 0;
  for (const {first, end} of [...data, {first: html.length, end: html.length}]) {
    if (first > at) markup.push({first: at, end: first});
    at = end;
  }
  return {markup, data};
}

function dataOf(html: Uint8Array): readonly HtmlRange[] {
  const ranges: HtmlRange[] = [];
  const parser: Parser = new Parser(
    {
      ontext: text => ranges.push({first: parser.endIndex + 1 - text.length, end: parser.endIndex + 1}),
      oncomment: text => {
        // The comment's delimiters belong to the structure: half a comment would hide everything after it.
        const first = parser.startIndex + COMMENT_START.length;
        const isUsual = parser.endIndex + 1 === first + text.length + COMMENT_END.length;
        if (isUsual) ranges.push({first, end: first + text.length});
      },
    },
    // Decoded entities would differ in length from their source text.
    {decodeEntities: false},
  );
  parser.write(newByteDecoder().decode(html));
  return ranges;
}

const COMMENT_START = '<!--';
const COMMENT_END = '-->';
