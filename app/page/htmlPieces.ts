import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/** A page's HTML, split into structure and content. The two lists together contain every byte once. */
export interface HtmlPieces {
  /**
   * Everything that is not in `data`: tags, and content that is too short to be separated from them. The ranges are in
   * order.
   */
  readonly markup: readonly HtmlRange[];
  /**
   * Text, and the contents of comments, scripts and style sheets. The ranges are in order. Each is within one element.
   */
  readonly data: readonly HtmlRange[];
}

/** Splits HTML. Content that is shorter than `leastDataBytes` becomes part of the markup. */
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
        // The comment's delimiters belong to the markup, because an unclosed comment would hide everything after it.
        const first = parser.startIndex + COMMENT_START.length;
        const isUsual = parser.endIndex + 1 === first + text.length + COMMENT_END.length;
        if (isUsual) ranges.push({first, end: first + text.length});
      },
    },
    // A decoded entity would not have the length of its source text.
    {decodeEntities: false},
  );
  parser.write(newByteDecoder().decode(html));
  return ranges;
}

const COMMENT_START = '<!--';
const COMMENT_END = '-->';
