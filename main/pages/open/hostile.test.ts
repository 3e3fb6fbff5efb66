import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {imageSize} from '../../../app/page/imageSize.ts';
import {PageError} from '../base/pageErrors.ts';
import type {Bundle, LeftOut} from '../store/bundle.ts';
import {BundleStore} from '../store/bundleStore.ts';
import {openFiles} from './openFiles.ts';
import {openPath} from './openPath.ts';
import {harOf, mhtmlOf, type Saved, zipOf} from './testing/archives.ts';

const never = new AbortController().signal;
const picture = readFileSync(join(import.meta.dirname, '../../../fixtures/pages/gallery/logo.png'));
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const site: readonly Saved[] = [
  {path: 'index.html', bytes: text('<link rel=stylesheet href=a.css><img src=a.png>')},
  {path: 'a.css', bytes: text('b { background: url(a.png) }')},
  {path: 'a.png', bytes: picture},
];

const open = (path: string, bytes: Uint8Array): Promise<Bundle> => openFiles([{path, bytes}], never);
const leftOut = async (bundle: Promise<Bundle | undefined>): Promise<readonly LeftOut[] | undefined> =>
  (await bundle)?.document.leftOut;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-hostile-'));
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'secret.png'), picture);
});
afterEach(() => rmSync(folder, {recursive: true}));

/** Opens the page of an HTML file in the folder. */
function openHtml(html: string): Promise<Bundle | undefined> {
  writeFileSync(join(folder, 'page/a.html'), html);
  return openPath(join(folder, 'page/a.html'), never);
}

describe('an HTML file', () => {
  test.each([
    ['file:///etc/passwd', 'it is not among the files'],
    ['//localhost/a.png', 'it is not among the files'],
    ['http://127.0.0.1/a.png', 'it is not among the files'],
    ['http://files.invalid:80@evil/a.png', 'it is not among the files'],
    ['../secret.png', 'there is no such file'],
    ['../../../../../../../../etc/passwd', 'there is no such file'],
    ['..%2fsecret.png', 'there is no such file'],
    ['..%5csecret.png', 'there is no such file'],
    ['%2e%2e/secret.png', 'there is no such file'],
    ['/secret.png', 'there is no such file'],
    ['a%00.png', 'it is not among the files'],
    ['%ff.png', 'it is not among the files'],
    ['out.png', 'it is a link that leads out of the folder'],
    ['pipe.png', 'it is a FIFO'],
    ['javascript:alert(1)', 'it is not among the files'],
  ])('that names %s does not get it: %s', async (reference, why) => {
    symlinkSync(join(folder, 'secret.png'), join(folder, 'page/out.png'));
    execFileSync('mkfifo', [join(folder, 'page/pipe.png')]);
    const bundle = await openHtml(`<img src="${reference}">`);
    expect(bundle?.document.leftOut).toEqual([{address: expect.anything(), why}]);
    expect(bundle?.files).toHaveLength(1);
    expect(Buffer.from(bundle?.files[0]?.bytes ?? []).toString()).toBe('\ufeff<img src="data:,">');
  });

  test('with a base on the web sends no request', async () => {
    expect(await leftOut(openHtml('<base href="http://127.0.0.1:1/"><img src=a.png>'))).toEqual([
      {address: 'http://127.0.0.1:1/a.png', why: 'it is not among the files'},
    ]);
  });

  test('that is a FIFO is refused in one line, and a path at which there is no file gives no bundle', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.html')]);
    await expect(openPath(join(folder, 'pipe.html'), never)).rejects.toThrow(
      'page: pipe.html cannot be opened: it is a FIFO',
    );
    expect(await openPath(join(folder, 'gone.html'), never)).toBeUndefined();
  });

  test('whose pictures have too many bytes keeps those that fit', async () => {
    for (const name of ['b', 'c', 'd']) {
      writeFileSync(join(folder, `page/${name}.png`), Buffer.concat([picture, Buffer.alloc(19e6)]));
    }
    writeFileSync(join(folder, 'page/e.png'), Buffer.concat([picture, Buffer.alloc(20e6)]));
    writeFileSync(join(folder, 'page/f.png'), picture);
    const bundle = await openHtml('bcdef'.replaceAll(/./g, '<img src=$&.png>'));
    expect(bundle?.document.leftOut).toEqual([
      {address: 'd.png', why: 'with it, the page would have more than 50000000 bytes'},
      {address: 'e.png', why: 'it has more than 20000000 bytes'},
    ]);
    expect(bundle?.files).toHaveLength(4);
  });
});

describe('a zip', () => {
  test('that is truncated, or is not a zip, is refused in one line', async () => {
    const zip = await zipOf(site);
    for (const end of [0, 1, 30, zip.length / 2, zip.length - 22, zip.length - 1]) {
      await expect(open('a.zip', zip.subarray(0, end))).rejects.toThrow(/^page: a\.zip is not a readable zip file: /);
    }
    await expect(open('a.zip', text('<html>'))).rejects.toThrow('page: a.zip is not a readable zip file');
  });

  test('with a damaged file keeps the other files', async () => {
    const zip = Buffer.from(
      await zipOf([...site.slice(0, 2), {path: 'b.png', bytes: picture}, site[2] ?? site[0]] as Saved[]),
    );
    const at = zip.indexOf('a.png', zip.indexOf('b.png'));
    zip[at + 60] = (zip[at + 60] ?? 0) ^ 0xff;
    expect(await leftOut(open('a.zip', zip))).toEqual([
      {address: 'a.png', why: expect.stringMatching(/^it is damaged: /)},
    ]);
  });

  test('that is a zip bomb unpacks to no more bytes than it states', async () => {
    const honest = await zipOf([...site.slice(0, 2), {path: 'a.png', bytes: Buffer.alloc(30e6)}]);
    expect(honest.length).toBeLessThan(100_000);
    expect(await leftOut(open('a.zip', honest))).toEqual([{address: 'a.png', why: 'it has more than 20000000 bytes'}]);
    const lying = sized(honest, 30e6, 1000);
    const before = process.memoryUsage().arrayBuffers;
    expect(await leftOut(open('a.zip', lying))).toEqual([
      {address: 'a.png', why: expect.stringMatching(/^it is damaged: too many bytes/)},
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10e6);
  });

  test.each(['../a.png', '/etc/a.png', 'b/../../a.png', 'C:/a.png', '..\\a.png'])(
    'with an entry %s is refused completely',
    async path => {
      const zip = Buffer.from(await zipOf([...site, {path: 'x'.repeat(path.length), bytes: picture}]));
      const named = Buffer.from(zip.toString('latin1').replaceAll('x'.repeat(path.length), path), 'latin1');
      await expect(open('a.zip', named)).rejects.toThrow(/is not a readable zip file: .*(path|relative)/);
    },
  );

  test('whose entries overlap is refused completely', async () => {
    const zip = Buffer.from(await zipOf([...site, {path: 'b.png', bytes: picture}]));
    expect((await open('a.zip', zip)).files).toHaveLength(3);
    // the last entry of the directory holds the offset of its local header (APPNOTE §4.3.12)
    const last = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const place = zip.readUInt32LE(last + 42);
    for (const offset of [0, place - 1]) {
      const forged = Buffer.from(zip);
      forged.writeUInt32LE(offset, last + 42);
      await expect(open('a.zip', forged)).rejects.toThrow(
        'page: a.zip has files that overlap: the archive is malicious',
      );
    }
    // an entry that claims to extend into the next one is also refused
    const first = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const longer = Buffer.from(zip);
    longer.writeUInt32LE(zip.readUInt32LE(first + 20) + 100, first + 20);
    await expect(open('a.zip', longer)).rejects.toThrow('has files that overlap');
  });

  test('with too many files is refused in one line', async () => {
    const zip = Buffer.from(await zipOf(site));
    // the number of entries in the end record (APPNOTE §4.3.16)
    for (const at of [8, 10]) zip.writeUInt16LE(20_001, zip.length - 22 + at);
    await expect(open('a.zip', zip)).rejects.toThrow('page: a.zip has 20001 files (at most 20000)');
  });

  test('of a zip is refused, and encrypted files or unknown compressions are left out with the reason', async () => {
    const inner = {path: 'b.zip', bytes: await zipOf(site)};
    await expect(open('a.zip', await zipOf([inner]))).rejects.toThrow(
      'page: a.zip contains another zip and no HTML file: unpack it first',
    );
    const zip = await zipOf(site);
    expect(await leftOut(open('a.zip', flagged(zip, 'a.png', {flag: 1})))).toEqual([
      {address: 'a.png', why: 'it is encrypted'},
    ]);
    expect(await leftOut(open('a.zip', flagged(zip, 'a.png', {method: 99})))).toEqual([
      {address: 'a.png', why: expect.stringContaining('unsupported compression method: 99')},
    ]);
  });

  test('without a page, or with several pages, is refused in one line', async () => {
    const one = 'page: a.zip has no page: it must contain an HTML file, pictures, or exactly one HAR file';
    await expect(open('a.zip', await zipOf([]))).rejects.toThrow(one);
    const archives = ['a.har', 'b.har'].map(path => ({path, bytes: text('{}')}));
    await expect(open('a.zip', await zipOf(archives))).rejects.toThrow(one);
    const pages = ['a.html', 'b.htm'].map(path => ({path, bytes: text('')}));
    await expect(open('a.zip', await zipOf(pages))).rejects.toThrow(
      'page: a.zip has 2 HTML files, but no index.html: open one of them',
    );
  });

  test('with a bundle.json that does not match the files is opened like any other page', async () => {
    const saved = await open('b.zip', await zipOf(site));
    const lie = {...saved.document, notLoaded: ['nothing']};
    const files = saved.files.map(({path, bytes}) => ({
      path,
      bytes: path.endsWith('.png') ? text('') : bytes,
    }));
    const zip = await zipOf([...files, {path: 'bundle.json', bytes: text(JSON.stringify(lie))}]);
    expect((await open('a.zip', zip)).document.notLoaded).toEqual([]);
    // the first file of this bundle is not the page
    const turned = {...lie, objects: lie.objects.toReversed()};
    const other = await zipOf([...saved.files, {path: 'bundle.json', bytes: text(JSON.stringify(turned))}]);
    expect((await open('a.zip', other)).document.notLoaded).toEqual([]);
  });
});

describe('a HAR file', () => {
  const entry = (path: string, content: object, status = 200) => ({
    request: {method: 'GET', url: `https://a.test/${path}`},
    response: {status, redirectURL: '', content},
  });
  const html = entry('', {mimeType: 'text/html', text: '<img src=a.png>'});
  const har = (...entries: readonly unknown[]): Uint8Array => text(JSON.stringify({log: {entries}}));

  test.each([
    ['is not JSON', text('{"log":'), 'is not a HAR file: not JSON'],
    ['is not UTF-8', Buffer.from([0xff, 0xfe, 0]), 'is not a HAR file: not JSON'],
    ['has no log', text('{"log": 1}'), 'is not a HAR file: it has no log.entries'],
    ['has no HTML', har(entry('a', {mimeType: 'image/png', text: ''})), 'has no HTML document with its content'],
    ['has no content', har(entry('', {mimeType: 'text/html'})), 'has no HTML document with its content'],
    ['contains only an error', har(entry('', {mimeType: 'text/html', text: 'no'}, 404)), 'has no HTML document'],
    [
      'contains only invalid entries',
      har(1, null, {}, {request: {}, response: {}}, {request: 1}),
      'has no HTML document',
    ],
    ['is nested too deeply', text(`{"log": ${'['.repeat(1e5)}`), 'is not a HAR file: nested more than 100 deep'],
  ])('that %s is refused in one line', async (_, bytes, why) => {
    await expect(open('a.har', bytes)).rejects.toThrow(`page: a.har ${why}`);
  });

  test.each([
    ['invalid base64', {mimeType: 'image/png', text: 'a*b', encoding: 'base64'}, 'its base64 is damaged'],
    ['no content', {mimeType: 'image/png'}, 'the archive has a response to it, but without its content'],
    ['a text instead of a picture', {mimeType: 'image/png', text: 'hello'}, 'it is not a picture that browsers show'],
  ])('with %s in one entry keeps the other pictures', async (_, content, why) => {
    expect(await leftOut(open('a.har', har(html, entry('a.png', content))))).toEqual([
      {address: 'https://a.test/a.png', why},
    ]);
  });

  test('gives its first HTML document with decoded text, and the first response with a body per picture', async () => {
    const meta = '<meta charset=iso-8859-1>é<img src=a.png><img src=b.png>';
    const page = entry('', {mimeType: 'text/html; charset=iso-8859-1', text: meta});
    const posted = {
      ...entry('post', {mimeType: 'text/html', text: 'posted'}),
      request: {method: 'POST', url: 'https://a.test/post'},
    };
    const image = {mimeType: 'image/png', text: picture.toString('base64'), encoding: 'base64'};
    const again = [entry('a.png', {mimeType: 'image/png'}), entry('a.png', image)];
    const part = entry('b.png', image, 206);
    const {files, document} = await open('a.har', har(posted, page, ...again, part));
    expect(Buffer.from(files[0]?.bytes ?? []).toString()).toBe(
      '<meta charset="utf-8">é<img src="files/1-a.png"><img src="data:,">',
    );
    expect(document.leftOut).toEqual([{address: 'https://a.test/b.png', why: 'the server answered 206'}]);
  });

  test('follows its redirects, but not in a loop', async () => {
    const moved = (path: string, location: string) => ({
      request: {method: 'GET', url: `https://a.test/${path}`},
      response: {status: 302, redirectURL: location, content: {}},
    });
    const image = entry('b.png', {mimeType: '', text: picture.toString('base64'), encoding: 'base64'});
    const steps = [moved('a.png', '/c'), moved('c', 'https://a.test/d'), moved('d', '/b.png')];
    const followed = await open('a.har', har(html, ...steps, image));
    expect(followed.document.objects[1]?.address).toBe('https://a.test/b.png');
    expect(await leftOut(open('a.har', har(html, moved('a.png', 'gone.png'))))).toEqual([
      {address: 'https://a.test/a.png', why: 'the archive has no response to the address that it is redirected to'},
    ]);
    expect(await leftOut(open('a.har', har(html, moved('a.png', 'a.png'))))).toEqual([
      {address: 'https://a.test/a.png', why: 'it is redirected more than 10 times'},
    ]);
  });

  test('of 50 MB is read, and objects that are too large for a page are left out', async () => {
    const large = {mimeType: 'image/png', text: 'A'.repeat(50e6), encoding: 'base64'};
    expect(await leftOut(open('a.har', har(html, entry('a.png', large))))).toEqual([
      {address: 'https://a.test/a.png', why: 'it has more than 20000000 bytes'},
    ]);
    await expect(open('a.har', Buffer.alloc(100e6 + 1))).rejects.toThrow(
      'page: a.har has 100000001 bytes (at most 100000000)',
    );
  });
});

describe('an MHTML file', () => {
  test('without boundary, without parts or without HTML is refused in one line', async () => {
    const whole = Buffer.from(mhtmlOf(site)).toString();
    const none = 'page: a.mhtml has no HTML document';
    await expect(open('a.mhtml', text(whole.replace(/boundary=".*"/, '')))).rejects.toThrow(none);
    await expect(open('a.mhtml', text(whole.split('------Boundary')[0] ?? ''))).rejects.toThrow(none);
    await expect(open('a.mhtml', mhtmlOf(site.slice(2)))).rejects.toThrow(none);
    await expect(open('a.mhtml', text(''))).rejects.toThrow(none);
  });

  /** Makes an MHTML file of parts with these headers and contents. */
  const mhtml = (start: string, ...parts: readonly (readonly [readonly string[], string])[]): Uint8Array =>
    text(
      [
        `Content-Type: multipart/related; boundary=b${start}\r\n`,
        ...parts.map(([headers, body]) => `--b\r\n${headers.join('\r\n')}\r\n\r\n${body}`),
        '--b--\r\n',
      ].join('\r\n'),
    );

  test('has the root that it names, and finds parts by Content-ID or relative to the root', async () => {
    const image = ['Content-Type: image/png', 'Content-Transfer-Encoding: base64'];
    const bytes = mhtml(
      '; start="<root@a>"',
      [['Content-Type: text/html', 'Content-ID: <frame@a>'], 'a frame'],
      [
        ['Content-Type: text/html', 'Content-ID: <root@a>', 'Content-Location: http://a.test/b/c.html'],
        '<img src="cid:a@a"><img src="../d.png"><img src="cid:gone">',
      ],
      [[...image, 'Content-ID: <a@a>'], picture.toString('base64')],
      [[...image, 'Content-Location: ../d.png'], picture.toString('base64')],
    );
    const {document} = await open('a.mht', bytes);
    expect(document.objects.map(({address}) => address)).toEqual([
      'http://a.test/b/c.html',
      'cid:a@a',
      'http://a.test/d.png',
    ]);
    expect(document.leftOut).toEqual([{address: 'cid:gone', why: 'the file has no part of that address'}]);
  });

  test('that is truncated keeps the parts before the end', async () => {
    const whole = mhtmlOf(site);
    const {document} = await open('a.mhtml', whole.subarray(0, Buffer.from(whole).lastIndexOf('image/png') + 200));
    expect(document.objects.map(({address}) => address)).toContain('https://a.test/a.css');
  });

  test('with too many parts, or with endless headers, is refused in one line', async () => {
    const parts = Array.from({length: 6000}, (_, i) => ({path: `${i}.css`, bytes: text('')}));
    expect(await leftOut(open('a.mhtml', mhtmlOf([...site, ...parts.slice(0, 1500)])))).toEqual([]);
    await expect(open('a.mhtml', mhtmlOf([...site, ...parts]))).rejects.toThrow(
      'page: a.mhtml is not a readable MHTML file: ',
    );
    await expect(open('a.mhtml', text('Content-Type: text/html;\r\n a=b;'.repeat(2e5)))).rejects.toThrow(PageError);
  });
});

describe('a set of pictures', () => {
  test('leaves out files that are not pictures, and names them', async () => {
    const files = [
      {path: 'trip/b 10.png', bytes: picture},
      {path: 'trip/b 2.png', bytes: picture},
      {path: 'trip/notes.txt', bytes: text('hello')},
      {path: 'trip/.DS_Store', bytes: text('')},
      {path: 'trip/<script>"&.png', bytes: picture},
      {path: 'trip/empty.jpg', bytes: text('')},
    ];
    const {document, files: made} = await openFiles(files, never);
    expect(document.address).toBe('trip');
    expect(document.leftOut).toEqual([
      {address: 'empty.jpg', why: 'it is not a picture that browsers show'},
      {address: 'notes.txt', why: 'it is not a picture that browsers show'},
    ]);
    const html = Buffer.from(made[0]?.bytes ?? []).toString();
    expect(html.match(/alt="[^"]*"/g)).toEqual(['alt="&lt;script&gt;&quot;&amp;"', 'alt="b 2"', 'alt="b 10"']);
    expect(html).not.toContain('<script>');
    const {width, height} = imageSize(picture) ?? {};
    expect(html.split(`width="${width}" height="${height}"`)).toHaveLength(4);
  });

  test('in a folder becomes a gallery, without FIFOs and links that lead out of the folder', async () => {
    mkdirSync(join(folder, 'pictures/more'), {recursive: true});
    writeFileSync(join(folder, 'pictures/more/a.png'), picture);
    symlinkSync('/', join(folder, 'pictures/root'));
    symlinkSync(join(folder, 'secret.png'), join(folder, 'pictures/out.png'));
    execFileSync('mkfifo', [join(folder, 'pictures/pipe.png')]);
    const bundle = await openPath(join(folder, 'pictures'), never);
    expect(bundle?.document.objects.map(({address}) => address).slice(1)).toEqual(['more/a.png']);
    expect(bundle?.document.leftOut.map(({address, why}) => [address, why])).toEqual([
      ['out.png', 'it is a link that leads out of the folder'],
      ['pipe.png', 'it is a FIFO'],
      ['root', 'it is a link that leads out of the folder'],
    ]);
  });

  test('with a hidden HTML file is a gallery, but a visible one in the highest folder is the page', async () => {
    const hidden = [
      {path: '__MACOSX/._index.html', bytes: text('')},
      {path: 'a.png', bytes: picture},
    ];
    expect((await openFiles(hidden, never)).document.objects).toHaveLength(2);
    const framed = [
      {path: 'a_files/index.html', bytes: text('a frame')},
      {path: 'a.html', bytes: text('the page')},
    ];
    expect(Buffer.from((await openFiles(framed, never)).files[0]?.bytes ?? []).toString()).toContain('the page');
  });

  test('in a folder with far too many files is refused in one line', {tags: ['long']}, async () => {
    mkdirSync(join(folder, 'many'));
    for (let i = 0; i <= 20_000; i++) writeFileSync(join(folder, 'many', String(i)), '');
    await expect(openPath(join(folder, 'many'), never)).rejects.toThrow('page: many has more than 20000 files');
  });

  test('that has too many pictures for a page says which pictures are left out', async () => {
    const files = Array.from({length: 1010}, (_, i) => ({path: `${i}.png`, bytes: picture}));
    const {document} = await openFiles(files, never);
    expect(document.objects).toHaveLength(1000);
    expect(document.leftOut).toHaveLength(11);
    expect(document.leftOut[0]).toEqual({address: '999.png', why: 'the page has more than 1000 objects'});
  });
});

test('an aborted opening opens nothing', async () => {
  const ended = AbortSignal.abort(new Error('enough'));
  await expect(openFiles(site, ended)).rejects.toThrow('enough');
  await expect(openFiles(site.slice(2), ended)).rejects.toThrow('enough');
});

test('mangled archives give a page that can be stored, or a PageError', async () => {
  const archives = [
    ['a.zip', await zipOf(site)],
    ['a.har', harOf(site)],
    ['a.mhtml', mhtmlOf(site)],
  ] as const;
  const store = new BundleStore({folder: join(folder, 'kept')});
  const change = fc.record({at: fc.double({min: 0, max: 1, noNaN: true}), byte: fc.nat(255), cut: fc.nat(5)});
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.array(change, {minLength: 1, maxLength: 8}), async (which, changes) => {
      const [path, bytes] = archives[which] ?? archives[0];
      let mangled = Buffer.from(bytes);
      for (const {at, byte, cut} of changes) {
        const index = Math.floor(at * (mangled.length - 1));
        mangled[index] = byte;
        mangled = Buffer.concat([mangled.subarray(0, index), mangled.subarray(index + Math.max(cut - 4, 0))]);
      }
      const opened = await open(path, mangled).catch((error: unknown) => error);
      if (opened instanceof Error) expect(opened).toBeInstanceOf(PageError);
      else await store.put(opened as Bundle, never);
    }),
    {numRuns: 150},
  );
});

/** Returns the archive with another uncompressed size wherever it is stated. */
function sized(zip: Uint8Array, from: number, to: number): Uint8Array {
  const bytes = Buffer.from(zip);
  for (let at = 0; at + 4 <= bytes.length; at++) if (bytes.readUInt32LE(at) === from) bytes.writeUInt32LE(to, at);
  return bytes;
}

/** Returns the archive with a changed directory entry (APPNOTE §4.3.12). */
function flagged(zip: Uint8Array, path: string, {flag, method}: {flag?: number; method?: number}): Uint8Array {
  const bytes = Buffer.from(zip);
  const at = bytes.lastIndexOf(path) - 46;
  if (flag !== undefined) bytes.writeUInt16LE(flag, at + 8);
  if (method !== undefined) bytes.writeUInt16LE(method, at + 10);
  return bytes;
}
