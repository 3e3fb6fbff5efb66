import {type CSSToken, TokenType, tokenizer} from '@csstools/css-tokenizer';

// Functions that all readers of style sheets share.

/** Returns the tokens of a style sheet without white space, comments, and the marks `<!--` and `-->`. */
export function tokensOf(css: string): readonly CSSToken[] {
  const tokens: CSSToken[] = [];
  const source = tokenizer({css});
  while (!source.endOfFile()) {
    const token = source.nextToken();
    if (!MEANINGLESS.has(token[0])) tokens.push(token);
  }
  return tokens;
}

const MEANINGLESS: ReadonlySet<string> = new Set([
  TokenType.Whitespace,
  TokenType.Comment,
  TokenType.CDO,
  TokenType.CDC,
]);

/**
 * Returns text that closes all blocks, functions, strings and comments that a truncated style sheet leaves open (CSS
 * Syntax 3 §5.4).
 */
export function closersOf(css: string): string {
  const open: string[] = [];
  const source = tokenizer({css});
  let last: CSSToken | undefined;
  while (!source.endOfFile()) {
    const token = source.nextToken();
    if (token[0] === TokenType.EOF) break;
    last = token;
    const closer = CLOSERS.get(token[0]);
    if (closer !== undefined) open.push(closer);
    else if (token[1] === open.at(-1)) open.pop();
  }
  return unfinished(last) + open.reverse().join('');
}

function unfinished(last: CSSToken | undefined): string {
  if (last === undefined) return '';
  const [type, text] = last;
  if (type === TokenType.Comment) return text.length >= 4 && text.endsWith('*/') ? '' : '*/';
  if (type === TokenType.URL) return text.endsWith(')') ? '' : ')';
  const quote = text[0] ?? '';
  if (type !== TokenType.String) return '';
  return text.length > 1 && text.endsWith(quote) ? '' : quote;
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  [TokenType.OpenCurly, '}'],
  [TokenType.OpenParen, ')'],
  [TokenType.OpenSquare, ']'],
  [TokenType.Function, ')'],
]);

/** An address and its range in a text, in characters. `end` is exclusive. */
export interface Found {
  readonly reference: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the address that begins with token `at`, in the form `url(a)`, `url("a")` or `"a"`, or undefined if there is
 * none.
 */
export function addressAt(tokens: readonly CSSToken[], at: number): Found | undefined {
  const [token, argument, close] = tokens.slice(at, at + 3);
  if (token === undefined) return undefined;
  const [type, , start, end] = token;
  if (type === TokenType.URL || type === TokenType.String) {
    return {reference: token[4].value, start, end: end + 1};
  }
  if (type !== TokenType.Function || token[4].value.toLowerCase() !== 'url') return undefined;
  if (argument?.[0] !== TokenType.String) return undefined;
  return {
    reference: argument[4].value,
    start,
    end: (close?.[0] === TokenType.CloseParen ? close : argument)[3] + 1,
  };
}

/** Returns whether a reference names an object, and not only a position within the page (`#id`). */
export function namesObject(reference: string): boolean {
  return reference !== '' && !reference.startsWith('#');
}

/** Tokens that end a declaration, or the prelude of a rule, which is the part before the rule's block. */
export const ENDS_PRELUDE: ReadonlySet<string> = new Set([
  TokenType.Semicolon,
  TokenType.OpenCurly,
  TokenType.CloseCurly,
]);

export const OPENING_TOKENS: ReadonlySet<string> = new Set([TokenType.Function, TokenType.OpenParen]);
