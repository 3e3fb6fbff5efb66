import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import {RecordFields} from './RecordFields.tsx';
import {FIRST_CHOICE, type RecordChoice} from './recordChoice.ts';

test('only a filmstrip suggests several times, because the other pictures have one', () => {
  const hintOf = (kind: RecordChoice['kind']) => {
    const html = renderToStaticMarkup(<RecordFields choice={{...FIRST_CHOICE, kind}} onChange={() => undefined} />);
    return /at, s<\/label><input[^>]* placeholder="(.*?)"/.exec(html)?.[1];
  };
  expect(['still', 'filmstrip', 'timeline'].map(kind => hintOf(kind as RecordChoice['kind']))).toEqual([
    '4',
    '4, 7, 12',
    '4',
  ]);
});
