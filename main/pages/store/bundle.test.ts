import {expect, test} from 'vitest';
import {check} from '../../../app/base/schema.ts';
import {LONGEST_PAGE_NAME, pageSource} from '../../../app/run/scenario/pageSource.ts';
import {bundleSource} from './bundle.ts';

test('a kept bundle has a name that scenarios take, whatever it says of itself', () => {
  const hash = '0a'.repeat(32);
  const names = ['https://a.test/', '', 'x'.repeat(LONGEST_PAGE_NAME + 1)].map(address => {
    const source = bundleSource(hash, {address});
    expect(check(pageSource, {...source})).toEqual({ok: true, value: {kind: 'bundle', ...source}});
    return source.name;
  });
  expect(names).toEqual(['https://a.test/', hash, 'x'.repeat(LONGEST_PAGE_NAME)]);
});
