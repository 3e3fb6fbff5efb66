import {expect, test} from 'vitest';
import {ElementNames, sheetUse} from './styleUse.ts';

function elements(...all: readonly (readonly [string, {class?: string; id?: string}])[]): ElementNames {
  const names = new ElementNames();
  for (const [name, attributes] of all) names.add(name, attributes);
  return names;
}

const PAGE = elements(['ul', {class: 'list wide'}], ['li', {}], ['form', {class: 'search', id: 'find'}]);

/** Whether the picture of a rule with this selector may be shown. */
function isMatched(selector: string, document = PAGE): boolean | undefined {
  const css = `${selector} {background: url(a.png)}`;
  return sheetUse(css, {elements: document, characters: new Set()}).uses[0]?.isMatched;
}

test.each([
  ['form.search', true],
  ['form#find.search', true],
  ['FORM', true],
  ['.wide.list', true],
  ['ul.search', false],
  ['ul#find', false],
  ['ol', false],
  ['ul .search', true],
  ['ul>form.search', true],
  ['ul>ol.search', false],
  ['li + .list ~ form', true],
  ['ul.search, li', true],
  ['ul.search, ol', false],
  ['body > ul', true],
  ['body', true],
  ['body.search', false],
  ['body.search', true, elements(['body', {class: 'search'}])],
  ['html#find', false],
  ['form.search::before', true],
  ['form.search:hover', false],
  ['ul:not(.search).list', true],
  ['li[title].list', false],
  ['*', true],
] as const)('%s: %s', (selector, expected, document = PAGE) => {
  expect(isMatched(selector, document)).toBe(expected);
});

test('a compound selector is assumed to match if more than 20 elements have its rarest name', () => {
  const many = (count: number) => {
    const ids = Array.from({length: count}, (_, i) => i);
    return elements(
      ...ids.map(i => ['p', {class: 'a', id: `a${i}`}] as const),
      ...ids.map(i => ['p', {class: 'b', id: `b${i}`}] as const),
    );
  };
  expect(isMatched('.a.b', many(20))).toBe(false);
  expect(isMatched('.a.b', many(21))).toBe(true);
});

test('elements with the same names in another order count once', () => {
  const numbers = Array.from({length: 11}, (_, i) => i);
  const document = elements(
    ...['a', 'b'].flatMap(name =>
      numbers.flatMap(i => [['p', {class: `${name} x${i}`}] as const, ['p', {class: `x${i} ${name}`}] as const]),
    ),
  );
  expect(isMatched('.a.b', document)).toBe(false);
});
