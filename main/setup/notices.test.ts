import {readFileSync} from 'node:fs';
import {beforeAll, expect, test} from 'vitest';
import {NOTICES, notices, noticesWithTexts, type Package, shippedPackages} from './notices.mjs';

let packages: Package[];
beforeAll(async () => {
  packages = await shippedPackages();
});

test('the third-party notices match the lockfiles (npm run notices writes the notices again)', () => {
  expect(readFileSync(NOTICES, 'utf8')).toBe(notices(packages));
});

test('the notices list every shipped package with its licence, and no package that only tests use', () => {
  const names = packages.map(({name}) => name);
  for (const name of ['react', 'sharp', 'dcsctp', 'quinn-proto', 'rustls']) expect(names).toContain(name);
  for (const name of ['vitest', 'electron', 'ajv', 'proptest', 'interleave', 'netsim'])
    expect(names).not.toContain(name);
  expect(packages.filter(({licence}) => licence === 'unknown')).toEqual([]);
});

test('in a package, the notices contain all licence texts, each text only once', () => {
  const text = noticesWithTexts(packages);
  expect(text.startsWith(notices(packages))).toBe(true);
  expect(text).toMatch(/^### .*react 19.*$/m);
  expect(text).toContain('Copyright (c) Meta Platforms, Inc. and affiliates.');
  const headings = text.match(/^### .*$/gm) ?? [];
  expect(headings.length).toBeLessThan(packages.length);
});
