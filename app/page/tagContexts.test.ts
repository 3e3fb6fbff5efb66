import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {TagContexts} from './tagContexts.ts';

describe('a browser that matches tags shows', () => {
  test('the content of an element when its end tag arrives', () => {
    expect(steps('<b>bold', '</b>', ' plain')).toEqual([[], ['<b>bold</b>'], [' plain']]);
  });

  test('the content of the innermost element first, and then the rest of the outer element', () => {
    expect(steps('<div>one<i>two</i>three', 'four</div>')).toEqual([['<i>two</i>'], ['<div>one', 'threefour</div>']]);
  });

  test('content outside all elements as it arrives', () => {
    expect(steps('<!DOCTYPE html><html><body>text<br>', 'more<!-- a note -->')).toEqual([
      ['<!DOCTYPE html><html><body>text<br>'],
      ['more<!-- a note -->'],
    ]);
  });

  test('an element that has no end tag together with its parent', () => {
    expect(steps('<ul><li>one<li>two', '</ul>')).toEqual([[], ['<ul><li>one<li>two</ul>']]);
    expect(steps('<p>one', '<p>two', '</p>')).toEqual([[], [], ['<p>two</p>']]);
  });

  test('everything at the end', () => {
    const contexts = new TagContexts();
    contexts.push(bytesOf('<p>one<b>two'));
    expect(contexts.end(12)).toEqual([{first: 0, end: 12}]);
  });
});

test('each byte is shown once, for arbitrary HTML in pieces of any size', () => {
  const part = fc.constantFrom('<b>', '</b>', '<p>', '</p>', 'x', '<br>', '<!--', '-->', '<', '</body>', '<i a=">">');
  fc.assert(
    fc.property(fc.array(part), fc.integer({min: 1, max: 7}), (parts, cut) => {
      const html = bytesOf(parts.join(''));
      const contexts = new TagContexts();
      const shown: number[] = [];
      const take = (ranges: readonly {first: number; end: number}[]) => {
        for (const {first, end} of ranges) for (let at = first; at < end; at++) shown.push(at);
      };
      for (let at = 0; at < html.length; at += cut) take(contexts.push(html.subarray(at, at + cut)));
      take(contexts.end(html.length));
      expect(shown.sort((a, b) => a - b)).toEqual(Array.from(html.keys()));
    }),
  );
});

/** Returns the texts that each piece makes visible. */
function steps(...pieces: readonly string[]): readonly (readonly string[])[] {
  const [html, contexts] = [pieces.join(''), new TagContexts()];
  return pieces.map(piece => contexts.push(bytesOf(piece)).map(({first, end}) => html.slice(first, end)));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0));
}
