import {type CSSToken, isTokenIdent, TokenType, tokenize} from '@csstools/css-tokenizer';

/** What a style sheet loads, where it stands in the sheet's text. */
export interface StyleReference {
  readonly kind: 'import' | 'image' | 'font';
  readonly reference: string;
  /** Of the whole `url(…)` or string, in characters of the text; `end` is the one after it. */
  readonly start: number;
  readonly end: number;
}

/**
 * What a style sheet's text loads, in its order: sheets that it imports, pictures, and of each font face the first
 * source in a format that browsers take (CSS Fonts 4 §4.3.1). Whether a rule is used is not looked at; rules and
 * imports for print alone load nothing here, nor do addresses within the page (`#id`).
 */
export function styleReferences(css: string): readonly StyleReference[] {
  return new StyleReader(css).read();
}

class StyleReader {
  readonly #tokens: readonly CSSToken[];
  readonly #found: StyleReference[] = [];
  #at = 0;
  /** Imports stand in front of all other rules (CSS Cascade 5 §2). */
  #mayImport = true;

  constructor(css: string) {
    this.#tokens = tokenize({css}).filter(
      ([type]) => type !== TokenType.Whitespace && type !== TokenType.Comment && type !== TokenType.CDC,
    );
  }

  read(): readonly StyleReference[] {
    for (let token = this.#next(); token !== undefined; token = this.#next()) {
      if (token[0] === TokenType.AtKeyword) this.#atRule(token[4].value.toLowerCase());
      else if (token[0] !== TokenType.Semicolon) {
        this.#mayImport = false;
        this.#take(token);
      }
    }
    return this.#found;
  }

  #next(): CSSToken | undefined {
    const token = this.#tokens[this.#at++];
    return token === undefined || token[0] === TokenType.EOF ? undefined : token;
  }

  #atRule(name: string): void {
    if (name === 'import') this.#import();
    else if (name === 'font-face') this.#fontFace();
    else if (name === 'media' && isForPrint(this.#prelude())) this.#block();
    else if (WITHOUT_ADDRESS.has(name)) this.#prelude();
    if (!BEFORE_IMPORTS.has(name)) this.#mayImport = false;
  }

  #import(): void {
    const prelude = this.#prelude();
    const found = addressAt(prelude, 0);
    if (found !== undefined && this.#mayImport && !isForPrint(prelude)) this.#add('import', found);
  }

  /** All up to the rule's block or end, which it leaves. */
  #prelude(): readonly CSSToken[] {
    const from = this.#at;
    while (this.#at < this.#tokens.length && !ENDS_PRELUDE.has(this.#tokens[this.#at]?.[0] ?? TokenType.EOF))
      this.#at += 1;
    return this.#tokens.slice(from, this.#at);
  }

  /** The tokens of the block that begins here. */
  #block(): readonly CSSToken[] {
    if (this.#tokens[this.#at]?.[0] !== TokenType.OpenCurly) return [];
    const from = this.#at;
    let depth = 0;
    for (let token = this.#next(); token !== undefined; token = this.#next()) {
      if (token[0] === TokenType.OpenCurly) depth += 1;
      else if (token[0] === TokenType.CloseCurly && --depth === 0) break;
    }
    return this.#tokens.slice(from, this.#at);
  }

  /** Its last `src` holds, as of every descriptor. */
  #fontFace(): void {
    this.#prelude();
    let chosen: Found | undefined;
    for (const declaration of declarations(this.#block())) {
      if (isNamed(declaration, 'src')) chosen = fontSource(declaration) ?? chosen;
    }
    if (chosen !== undefined) this.#add('font', chosen);
  }

  #take(token: CSSToken): void {
    if (token[0] === TokenType.Function && IMAGE_SETS.has(token[4].value.toLowerCase())) {
      this.#imageSet();
      return;
    }
    // a string is text, but for what takes an address
    const found = token[0] === TokenType.String ? undefined : addressAt(this.#tokens, this.#at - 1);
    if (found !== undefined) this.#add('image', found);
  }

  /** The first of its pictures. */
  #imageSet(): void {
    let depth = 1;
    let isFound = false;
    for (let token = this.#next(); token !== undefined; token = this.#next()) {
      const found: Found | undefined = isFound ? undefined : addressAt(this.#tokens, this.#at - 1);
      if (found !== undefined) this.#add('image', found);
      isFound ||= found !== undefined;
      if (OPENS.has(token[0])) depth += 1;
      else if (token[0] === TokenType.CloseParen && --depth === 0) return;
      else if (token[0] === TokenType.Semicolon || token[0] === TokenType.CloseCurly) return;
    }
  }

  #add(kind: StyleReference['kind'], found: Found): void {
    const reference = found.reference.trim();
    if (reference !== '' && !reference.startsWith('#')) this.#found.push({kind, ...found, reference});
  }
}

interface Found {
  readonly reference: string;
  readonly start: number;
  readonly end: number;
}

/** The address that begins with that token, be it `url(a)`, `url("a")` or `"a"`. */
function addressAt(tokens: readonly CSSToken[], at: number): Found | undefined {
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

function declarations(block: readonly CSSToken[]): readonly (readonly CSSToken[])[] {
  const all: CSSToken[][] = [[]];
  for (const token of block) {
    if (token[0] === TokenType.Semicolon || token[0] === TokenType.OpenCurly) all.push([]);
    else all.at(-1)?.push(token);
  }
  return all;
}

function isNamed([name, colon]: readonly CSSToken[], property: string): boolean {
  return (
    name !== undefined &&
    isTokenIdent(name) &&
    name[4].value.toLowerCase() === property &&
    colon?.[0] === TokenType.Colon
  );
}

/** The first address whose format is one of browsers', or is not told. */
function fontSource(declaration: readonly CSSToken[]): Found | undefined {
  for (let at = 2; at < declaration.length; at++) {
    const [type] = declaration[at] ?? [];
    if (type === TokenType.String) continue;
    const found = addressAt(declaration, at);
    if (found === undefined) continue;
    const comma = declaration.findIndex((token, i) => i > at && token[0] === TokenType.Comma);
    const rest = declaration.slice(at + 1, comma < 0 ? undefined : comma);
    const format = rest.findIndex(token => token[0] === TokenType.Function && token[4].value === 'format');
    const named = format < 0 ? undefined : rest[format + 1];
    const value = named?.[0] === TokenType.String || named?.[0] === TokenType.Ident ? named[4].value : '';
    if (value === '' || FONT_FORMATS.has(value.toLowerCase())) return found;
  }
  return undefined;
}

/** Whether each of the media is print; no media are all. */
function isForPrint(prelude: readonly CSSToken[]): boolean {
  const media = prelude.filter(token => isTokenIdent(token) || token[0] === TokenType.Comma);
  const names = media.map(token => (isTokenIdent(token) ? token[4].value.toLowerCase() : ','));
  const last = names.join(' ').split(',');
  return names.includes('print') && last.every(each => /^(only )?print\b/.test(each.trim()));
}

const ENDS_PRELUDE: ReadonlySet<string> = new Set([
  TokenType.Semicolon,
  TokenType.OpenCurly,
  TokenType.CloseCurly,
]);

/** What may stand in front of an import (CSS Cascade 5 §2). */
const BEFORE_IMPORTS: ReadonlySet<string> = new Set(['charset', 'import', 'layer']);

/** Their strings and addresses load nothing. */
const WITHOUT_ADDRESS: ReadonlySet<string> = new Set(['charset', 'layer', 'namespace']);

const OPENS: ReadonlySet<string> = new Set([TokenType.Function, TokenType.OpenParen]);

const IMAGE_SETS: ReadonlySet<string> = new Set(['image-set', '-webkit-image-set']);

/** What Chromium takes (CSS Fonts 4 §4.3.1). */
const FONT_FORMATS: ReadonlySet<string> = new Set([
  'woff2',
  'woff2-variations',
  'woff',
  'woff-variations',
  'truetype',
  'truetype-variations',
  'opentype',
  'opentype-variations',
  'collection',
]);
