import {existsSync, readdirSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {expect, test} from 'vitest';
import {root} from '../../main/setup/command.mjs';
import {anchorsOf, documents, targetsOf, textOf} from './markdown.ts';

/** Returns the links of a document that lead nowhere in the repository. Addresses on the web are not checked. */
function brokenLinks(path: string, text: string): readonly string[] {
  return targetsOf(text).filter(target => {
    if (/^(https?|mailto):/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const place = file === '' ? path : normalize(join(dirname(path), decodeURI(file)));
    if (place.startsWith('..') || !existsSync(join(root, place))) return true;
    return anchor !== undefined && place.endsWith('.md') && !anchorsOf(textOf(place)).includes(anchor);
  });
}

test.each(documents())('%s: every link leads somewhere', path => {
  expect(brokenLinks(path, textOf(path))).toEqual([]);
});

test('a link to a missing file, anchor or picture, or to a place outside the repository, is found', () => {
  const text = [
    '[a](docs/image-formats.md) [b](docs/none.md) [c](docs/image-formats.md#none) [d](#honest-limits) `[e](none)`',
    '![f](none.png) <img src="none.webp"> [g](https://example.org/none) [h](../outside.md)',
    '```\n[i](none)\n```\n# A, b: C',
  ].join('\n');
  const broken = ['docs/none.md', 'docs/image-formats.md#none', 'none.png', '../outside.md', 'none.webp'];
  expect(brokenLinks('README.md', text)).toEqual(broken);
});

test('every document of docs/ is named by another one', () => {
  const named = documents().flatMap(path =>
    targetsOf(textOf(path)).map(target => normalize(join(dirname(path), target.split('#')[0] ?? ''))),
  );
  expect(documents().filter(path => path.startsWith('docs/') && !named.includes(path))).toEqual([]);
});

test('every folder of app/, main/ and renderer/ has a README', () => {
  const folders = ['app', 'main', 'renderer'].flatMap(floor =>
    readdirSync(join(root, floor), {withFileTypes: true})
      .filter(entry => entry.isDirectory())
      .map(entry => `${floor}/${entry.name}`),
  );
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter(folder => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
});
