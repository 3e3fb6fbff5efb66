import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/** A page's HTML apart: what makes its structure, and what stands in it. Together they are all of its bytes. */
export interface HtmlPieces {
  /** Tags, and what is too short to be put anywhere; in order. */
  readonly markup: readonly HtmlRange[];
  /** Text, what is in comments, scripts and style sheets; in order. Each lies within one element. */
  readonly data: readonly HtmlRange[];
}

/** What is shorter than `leastDataBytes` stays with the tags around it. */
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
        // half a comment would hide all that follows: what begins and ends it is of the structure
        const first = parser.startIndex + COMMENT_START.length;
        const isUsual = parser.endIndex + 1 === first + text.length + COMMENT_END.length;
        if (isUsual) ranges.push({first, end: first + text.length});
      },
    },
    // or a character would be of another length than what stands for it
    {decodeEntities: false},
  );
  parser.write(newByteDecoder().decode(html));
  return ranges;
}

const COMMENT_START = '<!--';
const COMMENT_END = '-->';
