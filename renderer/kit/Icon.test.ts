import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const PARTS = readdirSync(new URL('..', import.meta.url), {recursive: true, encoding: 'utf8'}).filter(path =>
  path.endsWith('.tsx'),
);
const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('every button that has only an icon has a label', () => {
  const buttons = PARTS.flatMap(path =>
    [...textOf(path).matchAll(/<button\b(.*?)<\/button>/gs)]
      .map(([, button = '']) => button)
      .filter(button => /(^|[^=])>\s*<Icon [^>]*\/>\s*$/.test(button))
      .map(button => ({path, button})),
  );
  expect(buttons.length).toBeGreaterThan(20);
  expect(buttons.filter(({button}) => !button.includes('aria-label='))).toEqual([]);
});

test('every icon is used', () => {
  const parts = PARTS.filter(path => path !== 'kit/Icon.tsx').map(textOf);
  const names = [...textOf('kit/Icon.tsx').matchAll(/^ {2}(\w+): 'M/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  const isUsed = (name: string) =>
    parts.some(part => new RegExp(`<Icon name=("${name}"|\\{[^}]*'${name}')`).test(part));
  expect(names.filter(name => !isUsed(name))).toEqual([]);
});

test.each(PARTS)('no character of %s serves as an icon', path => {
  // arrows, technical signs and dingbats on a line of their own are the content of an element
  const signs = textOf(path).match(/^\s*[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf×‹›=|]+\s*$/gm) ?? [];
  expect(signs).toEqual([]);
});
