import {expect, test} from 'vitest';
import {printable} from './printable.ts';

test('what a terminal would obey is escaped, other text stays', () => {
  expect(printable('a\u0000b\u001b[31m\r\n\u009b2J\u202egpj.\u2028')).toBe(
    'a\\u{0}b\\u{1b}[31m\\u{d}\\u{a}\\u{9b}2J\\u{202e}gpj.\\u{2028}',
  );
  expect(printable('Zürich – 山.json 🎬')).toBe('Zürich – 山.json 🎬');
});

test('the end of long text is left out, and no half of a character stays', () => {
  expect(printable('x'.repeat(100))).toBe(`${'x'.repeat(80)}…`);
  expect(printable('🎬🎬', 3)).toBe('🎬\\u{d83c}…');
});
