import {type CSSToken, isTokenIdent, TokenType} from '@csstools/css-tokenizer';
import {matchesMedia} from './media.ts';
import {MOST_CHARACTERS, namesSomething, styleReferences} from './styleReferences.ts';
import {OPENING_TOKENS, tokensOf} from './styleTokens.ts';

/** The contents of a document that decide which rules of a style sheet apply. */
export interface Inventory {
  readonly elements: ElementNames;
  /** The characters of the document's text, as code points. */
  readonly characters: ReadonlySet<number>;
}

/** The names that the elements of a document have: the element's name, its classes as `.class`, and its id as `#id`. */
export class ElementNames {
  readonly #known = new Set<string>();
  /** Maps each name to the elements that have it. Each element is the set of its names. Equal sets are kept once. */
  readonly #having = new Map<string, ReadonlySet<string>[]>();

  add(name: string, {class: classes = '', id}: {readonly [attribute: string]: string}): void {
    const words = classes.split(/\s+/).map(word => `.${word}`);
    const names = new Set([name, ...words, ...(id === undefined ? [] : [`#${id}`])]);
    const key = [...names].sort().join('\0');
    if (this.#known.has(key)) return;
    this.#known.add(key);
    for (const each of names) {
      const having = this.#having.get(each);
      if (having === undefined) this.#having.set(each, [names]);
      else having.push(names);
    }
  }

  /**
   * Whether an element has all of these names. If more than {@link MOST_COMPARED} elements have the rarest of the names,
   * one of them is assumed to have all, because comparing them would take long.
   */
  has(names: ReadonlySet<string>): boolean {
    const rarest = [...names]
      .map(name => this.#having.get(name) ?? [])
      .reduce((least, each) => (each.length < least.length ? each : least));
    if (rarest.length > MOST_COMPARED) return true;
    return rarest.some(each => [...names].every(name => each.has(name)));
  }
}

/**
 * The largest number of elements with which a compound is compared. It is small, because a sheet of 1 MB can have
 * 300,000 compounds.
 */
const MOST_COMPARED = 20;

/** An object that a style sheet names. */
export interface StyleUse {
  readonly kind: 'import' | 'image' | 'font';
  readonly reference: string;
  /**
   * For an import: whether its media condition matches the screen. For a picture or a font: whether the media
   * conditions of the rules around it match the screen.
   */
  readonly isForScreen: boolean;
  /**
   * For a picture: whether an element of the document may match the rule. For a font: whether the document has a
   * character in the font's range. For an import: true.
   */
  readonly isMatched: boolean;
  /** For a font: the name of its family in lower case, or an empty text if the font face has none. */
  readonly family?: string;
}

/** What a style sheet loads and which fonts it uses. */
export interface SheetUse {
  readonly uses: readonly StyleUse[];
  /** The font families, in lower case, that rules of the sheet give to elements which the document may have. */
  readonly families: ReadonlySet<string>;
}

/**
 * Finds out what a style sheet loads in a document. Only the names in a selector are compared: a selector matches if for
 * each of its compounds, such as `ul.search`, the document has an element with all names of the compound. Where these
 * elements are does not matter. Selectors that need an action of the user (`:hover`) do not match. Attribute selectors
 * and functions (`:not()`) are ignored.
 */
export function sheetUse(css: string, inventory: Inventory): SheetUse {
  if (css.length > MOST_CHARACTERS) return {uses: [], families: new Set()};
  const rules = new RuleReader(tokensOf(css), inventory).read();
  const references = namesSomething(css) ? styleReferences(css) : [];
  const uses = references.map(({kind, reference, start, rule}): StyleUse => {
    if (kind === 'import') return {kind, reference, isForScreen: matchesMedia(rule?.media ?? ''), isMatched: true};
    const around = rules.find(each => each.start <= start && start < each.end);
    const isForScreen = around?.isForScreen ?? true;
    if (kind === 'image') return {kind, reference, isForScreen, isMatched: around?.isMatched ?? true};
    const {family = '', range} = around ?? {};
    return {kind, reference, isForScreen, isMatched: hasCharacter(inventory, range), family};
  });
  const families = rules.filter(({isForScreen, isMatched, isFace}) => isForScreen && isMatched && !isFace);
  return {uses, families: new Set(families.flatMap(({fonts}) => fonts))};
}

/** Returns the families that the text of a style attribute names. Only its first 10,000 characters are read. */
export function attributeFamilies(style: string): readonly string[] {
  return familiesOf(tokensOf(style.slice(0, 10_000)));
}

/** A rule with declarations. Positions are offsets in characters. */
interface Rule {
  readonly start: number;
  readonly end: number;
  readonly isForScreen: boolean;
  readonly isMatched: boolean;
  readonly isFace: boolean;
  /** Families that the rule gives to elements. */
  readonly fonts: readonly string[];
  /** For a font face: its family and its `unicode-range`. */
  readonly family?: string;
  readonly range?: readonly (readonly [from: number, to: number])[] | undefined;
}

class RuleReader {
  readonly #tokens: readonly CSSToken[];
  readonly #inventory: Inventory;
  readonly #rules: Rule[] = [];

  constructor(tokens: readonly CSSToken[], inventory: Inventory) {
    this.#tokens = tokens;
    this.#inventory = inventory;
  }

  read(): readonly Rule[] {
    this.#readList(0, this.#tokens.length, true, 0);
    return this.#rules;
  }

  /** Reads rules from token `from` to `to`. */
  #readList(from: number, to: number, isForScreen: boolean, depth: number): void {
    let at = from;
    while (at < to && depth < MOST_DEPTH) {
      const open = this.#blockFrom(at, to);
      if (open < 0) return;
      const end = this.#endOf(open, to);
      const prelude = this.#tokens.slice(this.#preludeStart(at, open), open);
      this.#readRule(prelude, open, end, isForScreen, depth);
      at = end;
    }
  }

  #readRule(prelude: readonly CSSToken[], open: number, end: number, isForScreen: boolean, depth: number): void {
    const [first] = prelude;
    const name = first?.[0] === TokenType.AtKeyword ? first[4].value.toLowerCase() : undefined;
    if (name === 'font-face') this.#add(open, end, isForScreen, true, true);
    else if (name === 'media') {
      const text = prelude
        .slice(1)
        .map(([, raw]) => raw)
        .join(' ');
      this.#readList(open + 1, end - 1, isForScreen && matchesMedia(spaced(text)), depth + 1);
    } else if (name !== undefined && GROUPS.has(name)) this.#readList(open + 1, end - 1, isForScreen, depth + 1);
    else if (name === undefined) {
      this.#add(open, end, isForScreen, matchesSomething(prelude, this.#inventory), false);
    }
  }

  #add(open: number, end: number, isForScreen: boolean, isMatched: boolean, isFace: boolean): void {
    const block = this.#tokens.slice(open + 1, end - 1);
    const [start, last] = [this.#tokens[open]?.[2] ?? 0, this.#tokens[end - 1]?.[3] ?? 0];
    const face = isFace ? {family: familiesOf(block)[0] ?? '', range: rangeOf(block)} : {};
    const fonts = isFace ? [] : familiesOf(block);
    this.#rules.push({start, end: last + 1, isForScreen, isMatched, isFace, fonts, ...face});
  }

  /** Returns the index of the next `{`, or -1. */
  #blockFrom(at: number, to: number): number {
    for (let i = at; i < to; i++) if (this.#tokens[i]?.[0] === TokenType.OpenCurly) return i;
    return -1;
  }

  /** Returns the index after the `}` that closes the block at `open`. */
  #endOf(open: number, to: number): number {
    let depth = 0;
    for (let i = open; i < to; i++) {
      const type = this.#tokens[i]?.[0];
      if (type === TokenType.OpenCurly) depth += 1;
      else if (type === TokenType.CloseCurly && --depth === 0) return i + 1;
    }
    return to;
  }

  /** Skips statements such as `@import …;` before the prelude of a rule. */
  #preludeStart(at: number, open: number): number {
    for (let i = open - 1; i >= at; i--) if (this.#tokens[i]?.[0] === TokenType.Semicolon) return i + 1;
    return at;
  }
}

/** Whether one of the selectors before a rule's block matches by its names. */
function matchesSomething(prelude: readonly CSSToken[], {elements}: Inventory): boolean {
  let [depth, matches, isEmpty] = [0, true, true];
  let names = new Set<string>();
  const endCompound = (): void => {
    const isImplied = names.size === 1 && IMPLIED.has([...names][0] ?? '');
    if (names.size > 0 && !isImplied) matches &&= elements.has(names);
    names = new Set();
  };
  for (const [i, token] of prelude.entries()) {
    const before = prelude[i - 1];
    const isCombinator = token[0] === TokenType.Delim && token[4].value !== '.';
    // White space has no token. A comment has none either, and counts as white space.
    const isApart = isCombinator || (before !== undefined && before[3] + 1 < token[2]);
    if (depth === 0 && isApart) endCompound();
    if (token[0] === TokenType.Comma && depth === 0) {
      endCompound();
      if (matches && !isEmpty) return true;
      [matches, isEmpty] = [true, true];
      continue;
    }
    isEmpty = false;
    if (OPENING_TOKENS.has(token[0]) || token[0] === TokenType.OpenSquare) depth += 1;
    else if (token[0] === TokenType.CloseParen || token[0] === TokenType.CloseSquare) depth -= 1;
    else if (depth === 0) {
      if (needsInput(token, before)) matches = false;
      const name = nameOf(token, before);
      if (name !== undefined) names.add(name);
    }
  }
  endCompound();
  return matches && !isEmpty;
}

/**
 * Returns the name that a token of a selector states, in the form of {@link ElementNames}. Undefined if the token does
 * not state the name, a class or the id of an element.
 */
function nameOf(token: CSSToken, before: CSSToken | undefined): string | undefined {
  if (token[0] === TokenType.Hash) return `#${token[4].value}`;
  if (!isTokenIdent(token) || before?.[0] === TokenType.Colon) return undefined;
  const name = token[4].value;
  if (before?.[0] === TokenType.Delim && before[4].value === '.') return `.${name}`;
  return name.toLowerCase();
}

/** Whether this is a pseudo-class that matches no element before the user does something. */
function needsInput(token: CSSToken, before: CSSToken | undefined): boolean {
  return isTokenIdent(token) && before?.[0] === TokenType.Colon && WITH_INPUT.has(token[4].value.toLowerCase());
}

/** Returns the families, in lower case, that the declarations of `font-family`, `font` and custom properties name. */
function familiesOf(block: readonly CSSToken[]): readonly string[] {
  const families: string[] = [];
  for (const [i, token] of block.entries()) {
    if (!isTokenIdent(token) || block[i + 1]?.[0] !== TokenType.Colon) continue;
    const property = token[4].value.toLowerCase();
    if (property !== 'font-family' && property !== 'font' && !property.startsWith('--')) continue;
    const value = block.slice(i + 2);
    const end = value.findIndex(([type]) => type === TokenType.Semicolon);
    families.push(...namesIn(end < 0 ? value : value.slice(0, end)));
  }
  return families;
}

/**
 * Returns the names of the families in a value, which are separated by commas. Everything before a size is dropped, so
 * the value of `font` can be read as well.
 */
function namesIn(value: readonly CSSToken[]): readonly string[] {
  const names: string[] = [];
  let words: string[] = [];
  for (const token of [...value, undefined]) {
    if (token === undefined || token[0] === TokenType.Comma) {
      if (words.length > 0) names.push(words.join(' ').toLowerCase());
      words = [];
    } else if (token[0] === TokenType.String) words = [token[4].value];
    else if (isTokenIdent(token)) words.push(token[4].value);
    else words = [];
  }
  return names;
}

/**
 * Returns the ranges of `unicode-range`, or undefined if the font face has none and therefore covers all characters.
 */
function rangeOf(block: readonly CSSToken[]): Rule['range'] {
  const at = block.findIndex(token => isTokenIdent(token) && token[4].value.toLowerCase() === 'unicode-range');
  if (at < 0) return undefined;
  const value = block.slice(at + 2);
  const end = value.findIndex(([type]) => type === TokenType.Semicolon);
  const text = (end < 0 ? value : value.slice(0, end)).map(([, raw]) => raw).join('');
  return text.split(',').flatMap(part => {
    const [, from, to] = /^u\+([0-9a-f?]{1,6})(?:-([0-9a-f]{1,6}))?$/i.exec(part.trim()) ?? [];
    if (from === undefined) return [];
    const least = Number.parseInt(from.replaceAll('?', '0'), 16);
    const most = Number.parseInt(to ?? from.replaceAll('?', 'f'), 16);
    return [[least, most] as const];
  });
}

function hasCharacter({characters}: Inventory, range: Rule['range']): boolean {
  if (range === undefined) return characters.size > 0;
  for (const character of characters) {
    if (range.some(([from, to]) => from <= character && character <= to)) return true;
  }
  return false;
}

/** Corrects the white space in the text of media queries, whose tokens were joined by spaces. */
function spaced(text: string): string {
  return text
    .replaceAll(/\(\s+/g, '(')
    .replaceAll(/\s+\)/g, ')')
    .replaceAll(/\s*:\s*/g, ': ')
    .replaceAll(/\s+,/g, ',');
}

/** At-rules besides `media` whose blocks contain rules. */
const GROUPS: ReadonlySet<string> = new Set(['supports', 'layer', 'container', 'scope', 'document', 'starting-style']);

/** Elements that a document has even if its HTML has no tags for them. */
const IMPLIED: ReadonlySet<string> = new Set(['html', 'head', 'body']);

/** Pseudo-classes that are assumed to match no element before the user does something. */
const WITH_INPUT: ReadonlySet<string> = new Set(
  'hover active focus focus-visible focus-within target visited checked fullscreen'.split(' '),
);

/** The deepest nesting of rules that is read. */
const MOST_DEPTH = 32;
