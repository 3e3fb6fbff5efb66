import {expect, test} from 'vitest';
import {zipName} from './pages.ts';

test.each([
  ['https://example.org/news/?a=b#c', 'example-org-news.zip'],
  ['Trip.html', 'trip.zip'],
  ['../../..', 'page.zip'],
  ['a'.repeat(200), `${'a'.repeat(60)}.zip`],
])('%s is saved as %s', (name, file) => {
  expect(zipName({name})).toBe(file);
});
