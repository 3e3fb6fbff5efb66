import {expect, test} from 'vitest';
import {check} from '../../../app/base/schema.ts';
import {LONGEST_PAGE_NAME, pageSource} from '../../../app/run/scenario/pageSource.ts';
import {bundleSource} from './bundle.ts';

test('a stored bundle always has a name that scenarios accept', () => {
  const hash = '0a'.repeat(32);
  const names = ['https://a.test/', '', 'x'.repeat(LONGEST_PAGE_NAME + 1)].map(address => {
    const source = bundleSource(hash, {address});
    expect(check(pageSource, {...source})).toEqual({ok: true, value: {kind: 'bundle', ...source}});
    return source.name;
  });
  expect(names).toEqual(['https://a.test/', hash, 'x'.repeat(LONGEST_PAGE_NAME)]);
});
