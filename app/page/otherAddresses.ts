import {type CSSToken, TokenType} from '@csstools/css-tokenizer';
import {MOST_CHARACTERS, namesSomething, type StyleReference} from './styleReferences.ts';
import {addressAt, namesObject, tokensOf} from './styleTokens.ts';
import {isInPlace} from './url.ts';

/**
 * All addresses in a style sheet that are not loaded here: late imports, print rules and print imports, and alternative
 * sources of fonts. Those in `loaded`, namespaces, places within the page and {@link isInPlace} addresses are left out.
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
    const isNone = found === undefined || !namesObject(found.reference.trim()) || isInPlace(found.reference);
    return isNone ? [] : [{start: found.start, end: found.end}];
  });
}

function isAtKeyword(token: CSSToken | undefined, name: string): boolean {
  return token?.[0] === TokenType.AtKeyword && token[4].value.toLowerCase() === name;
}
