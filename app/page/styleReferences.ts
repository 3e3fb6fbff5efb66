import {type CSSToken, isTokenIdent, TokenType} from '@csstools/css-tokenizer';
import {addressAt, ENDS_PRELUDE, type Found, namesObject, OPENING_TOKENS, tokensOf} from './styleTokens.ts';
import {isDataUrl} from './url.ts';

/** An object that a style sheet loads, and the range of the sheet's text that names it. */
export interface StyleReference {
  readonly kind: 'import' | 'image' | 'font';
  readonly reference: string;
  /** Range of the whole `url(…)` or string, in characters of the text. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** For an import: the rule with its media condition. */
  readonly rule?: ImportRule;
  /**
   * For a picture: the declaration that names it. All pictures of a declaration have the same `Declaration` object. The
   * field is absent if no declaration names the picture.
   */
  readonly declaration?: Declaration;
  /**
   * For a picture of an image-set(): the range of the other pictures, which are not loaded, including the comma before
   * them.
   */
  readonly others?: {readonly start: number; readonly end: number};
}

export interface Declaration {
  /** The name of the property, in lower case unless it is a custom property. */
  readonly property: string;
  /** The value without `!important`. */
  readonly value: string;
}

export interface ImportRule {
  /** Range of the rule, in characters of the text. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** The media condition. It is empty if the rule applies to all media. */
  readonly media: string;
}

/**
 * The largest sheet that is searched, in characters. Each character may become a token, which needs a few hundred
 * bytes.
 */
export const MOST_CHARACTERS = 1_000_000;

/**
 * Returns the objects that a style sheet loads, in order: imported sheets, pictures, and for each font face the first
 * source in a format that browsers accept (CSS Fonts 4 §4.3.1). Objects of unused rules are included. Print rules,
 * print imports and references within the page (`#id`) are excluded. The list is empty for sheets of more than {@link
 * MOST_CHARACTERS}.
 */
export function styleReferences(css: string): readonly StyleReference[] {
  // The cheap check comes first, because most sheets have no reference and tokenizing takes time.
  const isRead = css.length <= MOST_CHARACTERS && namesSomething(css);
  return isRead ? new StyleReader(css).read() : [];
}

/** Returns whether CSS contains anything that could be a reference. */
export function namesSomething(css: string): boolean {
  return /url\(|@import|image-set\(/i.test(css);
}

class StyleReader {
  readonly #css: string;
  readonly #tokens: readonly CSSToken[];
  readonly #found: StyleReference[] = [];
  #at = 0;
  /** Index of the first token of the current declaration. */
  #declarationAt = 0;
  #declaration: {readonly at: number; readonly is: Declaration | undefined} | undefined;
  /** Whether an import is still allowed. Imports must precede all other rules (CSS Cascade 5 §2). */
  #mayImport = true;

  constructor(css: string) {
    this.#css = css;
    this.#tokens = tokensOf(css);
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
    if (token === undefined || token[0] === TokenType.EOF) return undefined;
    if (ENDS_PRELUDE.has(token[0])) this.#declarationAt = this.#at;
    return token;
  }

  #atRule(name: string): void {
    if (name === 'import') this.#import();
    else if (name === 'font-face') this.#fontFace();
    else if (name === 'media' && isForPrint(this.#prelude())) this.#block();
    else if (WITHOUT_ADDRESS.has(name)) this.#prelude();
    if (!BEFORE_IMPORTS.has(name)) this.#mayImport = false;
  }

  #import(): void {
    const start = this.#tokens[this.#at - 1]?.[2] ?? 0;
    const prelude = this.#prelude();
    const next = this.#tokens[this.#at];
    const end = next?.[0] === TokenType.Semicolon ? next[3] + 1 : (prelude.at(-1)?.[3] ?? start) + 1;
    const found = addressAt(prelude, 0);
    if (found === undefined || !this.#mayImport) return;
    const media = mediaOf(prelude.filter(([, , at]) => at >= found.end));
    if (isForPrint(media)) return;
    const [from, to] = [media[0]?.[2], media.at(-1)?.[3]];
    const text = from === undefined || to === undefined ? '' : this.#css.slice(from, to + 1);
    this.#add('import', found, {rule: {start, end, media: text}});
  }

  /** Reads the tokens before the rule's block or end, and returns them. */
  #prelude(): readonly CSSToken[] {
    const from = this.#at;
    while (this.#at < this.#tokens.length && !ENDS_PRELUDE.has(this.#tokens[this.#at]?.[0] ?? TokenType.EOF))
      this.#at += 1;
    return this.#tokens.slice(from, this.#at);
  }

  /** Reads the block that begins at the current token, and returns its tokens. */
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

  /** Reads a font-face rule. If it has several `src` descriptors, the last valid one is used. */
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
    // A string is not an address unless it is the argument of a function or rule.
    const found = token[0] === TokenType.String ? undefined : addressAt(this.#tokens, this.#at - 1);
    if (found !== undefined) this.#addPicture(found);
  }

  /** Reads an image-set(). Its first picture is the one that is loaded. */
  #imageSet(): void {
    const declaration = this.#declarationHere();
    let depth = 1;
    let first: Found | undefined;
    let othersAt: number | undefined;
    let end = this.#css.length;
    for (let token = this.#next(); token !== undefined; token = this.#next()) {
      if (first === undefined) first = addressAt(this.#tokens, this.#at - 1);
      else if (token[0] === TokenType.Comma && depth === 1) othersAt ??= token[2];
      if (OPENING_TOKENS.has(token[0])) depth += 1;
      else if (token[0] === TokenType.CloseParen) depth -= 1;
      if (depth > 0 && !ENDS_PRELUDE.has(token[0])) continue;
      end = token[2];
      break;
    }
    const others = othersAt === undefined ? {} : {others: {start: othersAt, end}};
    if (first !== undefined) this.#add('image', first, {...declaration, ...others});
  }

  #addPicture(found: Found): void {
    this.#add('image', found, this.#declarationHere());
  }

  /** Returns the current declaration. It is parsed only once, because it may name many pictures. */
  #declarationHere(): {readonly declaration?: Declaration} {
    const at = this.#declarationAt;
    if (this.#declaration?.at !== at) this.#declaration = {at, is: this.#declarationAtToken(at)};
    const {is} = this.#declaration;
    return is === undefined ? {} : {declaration: is};
  }

  #declarationAtToken(at: number): Declaration | undefined {
    const [name, colon] = this.#tokens.slice(at, at + 2);
    if (name === undefined || !isTokenIdent(name) || colon?.[0] !== TokenType.Colon) return undefined;
    let last = at + 2;
    while (last < this.#tokens.length && !ENDS_PRELUDE.has(this.#tokens[last]?.[0] ?? TokenType.EOF)) last += 1;
    const end = this.#tokens[last]?.[0] === TokenType.EOF ? this.#css.length : this.#tokens[last]?.[2];
    const value = this.#css
      .slice(colon[3] + 1, end)
      .replace(/!\s*important\s*$/i, '')
      .trim();
    const property = name[4].value;
    return {property: property.startsWith('--') ? property : property.toLowerCase(), value};
  }

  #add(
    kind: StyleReference['kind'],
    found: Found,
    more: Pick<StyleReference, 'rule' | 'declaration' | 'others'> = {},
  ): void {
    const reference = found.reference.trim();
    if (namesObject(reference)) this.#found.push({kind, ...found, reference, ...more});
  }
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

/** Returns the first address whose format browsers accept or whose format is not stated. */
function fontSource(declaration: readonly CSSToken[]): Found | undefined {
  let found: Found | undefined;
  let isFormat = false;
  for (const [at, token] of declaration.entries()) {
    if (token[0] === TokenType.Comma && found !== undefined) return found;
    if (isFormat && 'value' in (token[4] ?? {})) {
      if (!FONT_FORMATS.has(String((token[4] as {value: unknown}).value).toLowerCase())) found = undefined;
      isFormat = false;
    } else if (token[0] === TokenType.Function && token[4].value.toLowerCase() === 'format') isFormat = true;
    else if (token[0] !== TokenType.String) found = addressAt(declaration, at) ?? found;
  }
  return found;
}

/**
 * Returns the media conditions of an import: its tokens without layer(), which is not a condition, and supports(),
 * which is assumed to be true in every current browser.
 */
function mediaOf(conditions: readonly CSSToken[]): readonly CSSToken[] {
  const [first] = conditions;
  const name = first !== undefined && 'value' in (first[4] ?? {}) ? String((first[4] as {value: unknown}).value) : '';
  if (!/^(layer|supports)$/i.test(name)) return conditions;
  if (first?.[0] !== TokenType.Function) return mediaOf(conditions.slice(1));
  let depth = 0;
  const close = conditions.findIndex(([type]) => {
    if (OPENING_TOKENS.has(type)) depth += 1;
    else if (type === TokenType.CloseParen) depth -= 1;
    return depth === 0;
  });
  return close < 0 ? [] : mediaOf(conditions.slice(close + 1));
}

/**
 * Returns whether every medium in the list is print. The result is false for an empty list, because it stands for all
 * media.
 */
function isForPrint(prelude: readonly CSSToken[]): boolean {
  const media = prelude.filter(token => isTokenIdent(token) || token[0] === TokenType.Comma);
  const names = media.map(token => (isTokenIdent(token) ? token[4].value.toLowerCase() : ','));
  const last = names.join(' ').split(',');
  return names.includes('print') && last.every(each => /^(only )?print\b/.test(each.trim()));
}

/** Rules that may precede an import (CSS Cascade 5 §2). */
const BEFORE_IMPORTS: ReadonlySet<string> = new Set(['charset', 'import', 'layer']);

/** Rules whose strings and addresses load nothing. */
const WITHOUT_ADDRESS: ReadonlySet<string> = new Set(['charset', 'layer', 'namespace']);

const IMAGE_SETS: ReadonlySet<string> = new Set(['image-set', '-webkit-image-set']);

/** Formats that Chromium accepts (CSS Fonts 4 §4.3.1). */
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

/**
 * Returns the ranges of all addresses in a style sheet that are not loaded: imports that follow other rules, addresses
 * in print rules and print imports, and alternative sources of fonts. The result excludes addresses in `loaded`, the
 * other pictures of their image-set() functions, namespaces, references within the page, and `data:` addresses ({@link
 * isDataUrl}). It is empty for sheets of more than {@link MOST_CHARACTERS}.
 */
export function otherAddresses(
  css: string,
  loaded: readonly StyleReference[],
): readonly {readonly start: number; readonly end: number}[] {
  if (css.length > MOST_CHARACTERS || !namesSomething(css)) return [];
  const taken = new Set(loaded.map(({start}) => start));
  const cut = loaded.flatMap(({others}) => (others === undefined ? [] : [others]));
  const tokens = tokensOf(css);
  let next = 0;
  return tokens.flatMap(([type, , start], at) => {
    while ((cut[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const [before, previous] = [tokens[at - 2], tokens[at - 1]];
    if ((cut[next]?.start ?? Number.POSITIVE_INFINITY) <= start) return [];
    if (type === TokenType.String && !isAtKeyword(previous, 'import')) return [];
    if (isAtKeyword(previous, 'namespace') || isAtKeyword(before, 'namespace')) return [];
    const found = taken.has(start) ? undefined : addressAt(tokens, at);
    const isNone = found === undefined || !namesObject(found.reference.trim()) || isDataUrl(found.reference);
    return isNone ? [] : [{start: found.start, end: found.end}];
  });
}

function isAtKeyword(token: CSSToken | undefined, name: string): boolean {
  return token?.[0] === TokenType.AtKeyword && token[4].value.toLowerCase() === name;
}
