import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openPage} from '../openPage.ts';
import type {Bundle} from '../store/bundle.ts';
import {writeBundle} from '../store/bundleFolder.ts';
import {bundleHash} from '../store/bundleHash.ts';
import {bundleZip} from '../store/bundleZip.ts';
import {openFiles} from './openFiles.ts';
import {openPath} from './openPath.ts';
import {harOf, mhtmlOf, type Saved, zipOf} from './testing/archives.ts';

const never = new AbortController().signal;
const gallery = join(import.meta.dirname, '../../../fixtures/pages/gallery');
const picture = (name: string): Uint8Array => readFileSync(join(gallery, name));
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** A page with pictures in its HTML and its style sheets. It has folders and a name that must be escaped. */
const page: readonly Saved[] = [
  {
    path: 'index.html',
    bytes: text(`<!DOCTYPE html><meta charset=utf-8><link rel=stylesheet href="css/a.css"><h1>é = 1</h1>
<img src="lake.jpg"><img src="img/two words.png" srcset="img/boat.jpg 1x, gone.jpg 2x"><img src=img/d.svg>
<script src=a.js></script><img src="gone.png">`),
  },
  {path: 'lake.jpg', bytes: picture('lake.jpg')},
  {path: 'img/two words.png', bytes: picture('logo.png')},
  {path: 'img/boat.jpg', bytes: picture('boat.jpg')},
  {path: 'img/d.svg', bytes: text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')},
  {path: 'css/a.css', bytes: text('@import "b.css"; h1 { background: url(../img/two%20words.png) }')},
  {path: 'css/b.css', bytes: text('body { background: url("../bg.jpg") }')},
  {path: 'bg.jpg', bytes: picture('dunes.jpg')},
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-opening-'));
  for (const {path, bytes} of page) {
    mkdirSync(dirname(join(folder, 'site', path)), {recursive: true});
    writeFileSync(join(folder, 'site', path), bytes);
  }
});
afterAll(() => rmSync(folder, {recursive: true}));

const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pictures = (bundle: Bundle | undefined): readonly string[] =>
  bundle?.document.objects
    .filter(({type}) => type.startsWith('image/'))
    .map(({sha256}) => sha256)
    .sort() ?? [];
const served = ['lake.jpg', 'img/boat.jpg', 'img/d.svg', 'img/two words.png', 'bg.jpg'];
const sums = page
  .filter(({path}) => served.includes(path))
  .map(({bytes}) => sumOf(bytes))
  .sort();

describe('a page has the same pictures in every form:', () => {
  test('as a folder', async () => {
    const {objects} = await openPage({kind: 'named', name: join(folder, 'site')}, gallery);
    const bodies = objects.filter(({contentType}) => contentType.startsWith('image/')).flatMap(({body}) => body ?? []);
    expect(bodies.map(sumOf).sort()).toEqual(sums);
  });

  const forms: readonly (readonly [string, () => Promise<Bundle | undefined>])[] = [
    ['its HTML file', () => openPath(join(folder, 'site/index.html'), never)],
    ['files', () => openFiles(page, never)],
    [
      'files of a folder',
      () =>
        openFiles(
          page.map(each => ({...each, path: `a/site/${each.path}`})),
          never,
        ),
    ],
    ['a zip', async () => openFiles([{path: 'a.zip', bytes: await zipOf(page)}], never)],
    [
      'a zip of a folder',
      async () => {
        const files = page.map(each => ({...each, path: `site/${each.path}`}));
        const others = [{path: '__MACOSX/site/._index.html', bytes: text('')}];
        return openFiles([{path: 'a.ZIP', bytes: await zipOf([...others, ...files])}], never);
      },
    ],
    ['a HAR file', () => openFiles([{path: 'a.har', bytes: harOf(page)}], never)],
    [
      'a HAR file in a zip',
      async () => openFiles([{path: 'a.zip', bytes: await zipOf([{path: 'a.har', bytes: harOf(page)}])}], never),
    ],
    ['an MHTML file', () => openFiles([{path: 'a.mhtml', bytes: mhtmlOf(page)}], never)],
    ['an MHTML file of files', () => openFiles([{path: 'a.mht', bytes: mhtmlOf(page, 'file:///C:/a%20b/')}], never)],
  ];
  test('as a HAR file, which counts the responses that the page does not name', async () => {
    const more = ['b.js', 'c.json'].map(path => ({path, bytes: text('x')}));
    const bundle = await openFiles([{path: 'a.har', bytes: harOf([...page, ...more])}], never);
    expect(pictures(bundle)).toEqual(sums);
    expect(bundle?.document.notLoaded).toEqual([
      '1 script',
      expect.stringMatching(
        /^[23] addresses of the archive that the page does not name \(the first: https:\/\/a\.test\//,
      ),
    ]);
  });

  test.each(forms)('as %s', async (_, open) => {
    const bundle = await open();
    expect(pictures(bundle)).toEqual(sums);
    expect(bundle?.document.notLoaded).toEqual(['1 script']);
    expect(bundle?.document.leftOut).toEqual([{address: expect.stringMatching(/gone\.png$/), why: expect.anything()}]);
    expect(Buffer.from(bundle?.files[0]?.bytes ?? []).toString()).toContain('<h1>é = 1</h1>');
  });
});

test('a bundle that was saved as a folder or as a zip opens as the same bundle', async () => {
  const bundle = await openFiles(page, never);
  const plain = (each: Bundle | undefined) => [
    each?.document,
    each?.files.map(({path, bytes}) => [path, sumOf(bytes)]),
  ];
  await writeBundle(join(folder, 'saved'), bundle, never);
  const zip = await bundleZip(bundle);
  expect(plain(await openFiles([{path: 'saved.zip', bytes: zip}], never))).toEqual(plain(bundle));
  expect(plain(await openPath(join(folder, 'saved/index.html'), never))).toEqual(plain(bundle));
  expect(await bundleZip(bundle)).toEqual(zip);
});

test('the same files give the same bundle in any order', async () => {
  const hashes = [page, page.toReversed(), page.map(each => ({...each, path: `b/${each.path}`}))].map(async files =>
    bundleHash((await openFiles(files, never)).document.objects),
  );
  expect(new Set(await Promise.all(hashes)).size).toBe(1);
});
