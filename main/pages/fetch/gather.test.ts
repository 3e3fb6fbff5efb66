import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import sharp from 'sharp';
import {beforeAll, describe, expect, test} from 'vitest';
import {assemblePage} from '../../../app/page/assemble.ts';
import {GATEWAY_LIMITS, type GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Bundle} from '../store/bundle.ts';
import {type GatherOptions, gather} from './gather.ts';

let png: Buffer;

beforeAll(async () => {
  const create = {width: 2, height: 2, channels: 3, background: '#123'} as const;
  png = await sharp({create}).png().toBuffer();
});

interface Answer {
  readonly body: string | Uint8Array;
  readonly type?: string;
  /** The final address of the response. */
  readonly at?: string;
}

/** Makes the bundle of a page on http://a.test. The answers are keyed by path. Other paths give 404. */
async function bundleOf(
  answers: {readonly [path: string]: Answer | string | Uint8Array},
  limits: Partial<GatewayLimits> = {},
  more: Partial<GatherOptions> = {},
): Promise<Bundle & {asked: readonly string[]; text: (path: string) => string}> {
  const asked: string[] = [];
  const bundle = await gather('http://a.test/dir/', {
    limits: {...GATEWAY_LIMITS, ...limits},
    date: new Date(0),
    get: async address => {
      asked.push(address);
      const found = answers[address.replace('http://a.test', '')];
      if (found === undefined) throw new FetchError('the server answers 404');
      const {body, type, at} = typeof found === 'object' && 'body' in found ? found : {body: found};
      const contentType = type ?? (address.endsWith('/') ? 'text/html' : address.endsWith('.css') ? 'text/css' : '');
      return {address: at ?? address, contentType, body: Buffer.from(body)};
    },
    ...more,
  });
  // the text is compared without its byte order mark
  const text = (path: string) => new TextDecoder().decode(fileOf(bundle, path));
  return {...bundle, asked, text};
}

const objectUrls = (html: Uint8Array) =>
  assemblePage('a', html, () => undefined)
    .objects.slice(1)
    .map(({url}) => url);

function fileOf({files}: Bundle, path: string): Uint8Array {
  const file = files.find(each => each.path === path);
  if (file === undefined) throw new Error(`${path} is none of ${files.map(each => each.path).join(', ')}`);
  return file.bytes;
}

describe('gather', () => {
  test('replaces the address of every object by a path in the folder, and fetches each address once', async () => {
    const bundle = await bundleOf({
      '/dir/': `<base href="/pics/"><link rel=stylesheet href='/a.css'><img src=x.png><img alt="1>0" src="x.png#y">
        <IMG srcset="x.png 1x, two.png 2x"><a href="b.html">b</a>`,
      '/pics/x.png': png,
      '/a.css': 'a{}',
    });
    expect(bundle.text('index.html')).toBe(
      `<base ><link rel=stylesheet href="files/1-a.css"><img src="files/2-x.png"><img alt="1>0" src="files/2-x.png">
        <IMG src="files/2-x.png" ><a href="b.html">b</a>`,
    );
    expect(bundle.asked).toEqual(['http://a.test/dir/', 'http://a.test/a.css', 'http://a.test/pics/x.png']);
    expect(objectUrls(fileOf(bundle, 'index.html'))).toEqual(['/files/1-a.css', '/files/2-x.png']);
    expect(fileOf(bundle, 'files/2-x.png')).toEqual(png);
  });

  test('uses the first base, and loads nothing for templates, sources without an img, and refreshes', async () => {
    const bundle = await bundleOf({
      '/dir/': `<base href="/pics/"><base href="/else/"><template><img src=t.png></template>
        <picture><source srcset="x.png"></picture><img src=y.png><meta http-equiv=refresh content="0; url=z">`,
      '/pics/y.png': png,
    });
    expect(bundle.asked.slice(1)).toEqual(['http://a.test/pics/y.png']);
    expect(bundle.text('index.html')).not.toContain('url=z');
  });

  test('follows references in style sheets and in the page’s own CSS', async () => {
    const bundle = await bundleOf({
      '/dir/': `<style>@import "/s/a.css"; b{background:url(x.png)}</style><p style="background:url('x.png')">`,
      '/s/a.css': '@import url(b.css) screen; @font-face{src:url(f.woff2)} c{background:url(../dir/x.png)}',
      '/s/b.css': 'd{color:red}',
      '/s/f.woff2': 'wOF2 and more',
      '/dir/x.png': png,
    });
    expect(bundle.text('index.html')).toBe(
      `<style>@import url("files/1-a.css"); b{background:url("files/2-x.png")}</style>` +
        `<p style="background:url(&quot;files/2-x.png&quot;)">`,
    );
    expect(bundle.text('files/1-a.css')).toBe(
      '@import url("3-b.css") screen; @font-face{src:url("4-f.woff2")} c{background:url("2-x.png")}',
    );
    expect(bundle.document.objects.map(({file}) => file)).toEqual(bundle.files.map(({path}) => path));
    expect(bundle.document.leftOut).toEqual([]);
  });

  test('numbers the files of a page in the same way, no matter which style sheet arrives first', async () => {
    const index = Buffer.from(
      ['one', 'gone', 'two', 'three'].map(name => `<link rel=stylesheet href=${name}.css>`).join(''),
    );
    const pathsWith = async (late: string) => {
      let come = (): void => undefined;
      const others = new Promise<void>(resolve => {
        come = resolve;
      });
      const bundle = await gather('http://a.test/', {
        limits: GATEWAY_LIMITS,
        date: new Date(0),
        get: async address => {
          const [, name = ''] = /(\w+)\.css$/.exec(address) ?? [];
          if (name === late) await others;
          if (name === 'gone') throw new FetchError('the server answers 404');
          if (name === '') return {address, contentType: '', body: address.endsWith('g') ? png : index};
          // The late answer is released only after this answer was handled.
          if (name !== late) setTimeout(come);
          return {address, contentType: 'text/css', body: Buffer.from(`a{background:url(${name}.png)}`)};
        },
      });
      return bundle.files.map(({path}) => path);
    };
    const paths = await pathsWith('none');
    expect(paths.slice(-3)).toEqual(['files/5-one.png', 'files/6-two.png', 'files/7-three.png']);
    for (const late of ['one', 'gone', 'two']) expect(await pathsWith(late)).toEqual(paths);
  });

  test('removes addresses in CSS that are not loaded', async () => {
    const bundle = await bundleOf({
      '/dir/': `<style>@import "p.css" print;@font-face{src:url(a.woff2) format("woff2"),url(http://x.test/b.ttf)}
        c{background:image-set(url(x.png) 1x, "http://x.test/y.png" 2x)}@media print{d{background:url(e)}}</style>`,
      '/dir/a.woff2': 'wOF2 and more',
      '/dir/x.png': png,
    });
    const nothing = 'url("data:,")';
    expect(bundle.text('index.html')).toBe(
      `<style>@import ${nothing} print;@font-face{src:url("files/1-a.woff2") format("woff2"),${nothing}}
        c{background:image-set(url("files/2-x.png") 1x)}@media print{d{background:${nothing}}}</style>`,
    );
    expect(bundle.asked).toHaveLength(3);
  });

  test('ends even if style sheets import each other, themselves, or ever new ones', async () => {
    const bundle = await bundleOf({
      '/dir/': '<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css>',
      '/dir/a.css': '@import "b.css"; @import "a.css";',
      '/dir/b.css': '@import "a.css";',
    });
    expect(bundle.text('files/2-b.css')).toBe('@import url("1-a.css");');
    const sheet = (depth: number) => ({body: `@import "${depth + 1}.css";`, type: 'text/css'});
    const endless = await gather('http://a.test/', {
      limits: GATEWAY_LIMITS,
      date: new Date(0),
      get: async address => {
        const depth = /(\d+)\.css/.exec(address)?.[1];
        if (depth !== undefined)
          return {
            address,
            ...sheet(Number(depth)),
            contentType: '',
            body: Buffer.from(sheet(Number(depth)).body),
          };
        return {address, contentType: 'text/html', body: Buffer.from('<link rel=stylesheet href=0.css>')};
      },
    });
    expect(endless.files).toHaveLength(2 + GATEWAY_LIMITS.importDepth);
    expect(endless.document.leftOut).toEqual([{address: '9.css', why: 'sheets import each other more than 8 deep'}]);
  });

  test('counts only scripts that browsers run, and removes addresses of other scripts and of preloads', async () => {
    const run = ['', 'module', 'Text/JavaScript', 'application/x-javascript', 'text/x-ecmascript'];
    const others = ['application/json', 'text/x-template', 'importmap', 'application/javascript-template'];
    const scripts = [...run, ...others].map(type => `<script type="${type}" src="http://x.test/"></script>`);
    const bundle = await bundleOf({
      '/dir/': `${scripts.join('')}<link rel=preload as=image imagesrcset="http://x.test/a.png 2x">`,
    });
    expect(bundle.document.notLoaded).toEqual(['5 scripts']);
    expect(bundle.text('index.html')).not.toContain('x.test');
  });

  test('says what is left out and why, and does not request it again', async () => {
    const bundle = await bundleOf({
      '/dir/': `<script src=a.js></script><script>1</script><script type="application/ld+json">{}</script>
        <video src=v poster=p.png><source src=w></video><iframe src=f srcdoc=x></iframe><object data=o></object>
        <img src=missing.png><img src=text.png><img src="ftp://a/b.png"><img src="//[a]/b"><link rel=icon href=i.png>`,
      '/dir/text.png': 'no picture',
    });
    const {leftOut, notLoaded} = bundle.document;
    expect(notLoaded).toEqual(['2 scripts', '1 video', '1 frame', '1 plug-in']);
    expect(leftOut).toEqual([
      {address: 'ftp://a/b.png', why: 'it is not an http(s) or sctp address'},
      {address: '//[a]/b', why: 'it is not a valid address'},
      {address: 'http://a.test/dir/missing.png', why: 'the server answers 404'},
      {address: 'http://a.test/dir/text.png', why: 'it is not a picture that browsers show'},
    ]);
    const html = bundle.text('index.html');
    expect(html).not.toMatch(/src="?(a\.js|v|f|w)|poster|srcdoc|data=o|i\.png/);
    expect(html.match(/src="data:,"/g)).toHaveLength(4);
    expect(bundle.asked).toHaveLength(3);
  });

  test('removes addresses of backgrounds, image buttons and drawings, except data: URLs and fragments', async () => {
    const gif = 'data:image/gif;base64,AA';
    const bundle = await bundleOf({
      '/dir/': `<body background="http://x.test/a"><table background=b><td background="${gif}"><input type=image src=c>
        <svg><image xlink:href="http://x.test/d" /><use href="e.svg#f" /><use href="#g" /></svg>`,
    });
    expect(bundle.text('index.html').match(/x\.test|=b|=c|e\.svg/g)).toBeNull();
    expect(bundle.text('index.html')).toContain(gif);
    expect(bundle.text('index.html')).toContain('"#g"');
    expect(bundle.document.notLoaded).toEqual([
      '2 background attributes',
      '1 image button',
      '2 references of drawings',
    ]);
  });

  test('leaves out a style sheet that is too long to be read', async () => {
    const css = {body: ' '.repeat(1_000_001), type: 'text/css'};
    const {leftOut} = (await bundleOf({'/dir/': '<link rel=stylesheet href=a.css>', '/dir/a.css': css})).document;
    expect(leftOut[0]?.why).toBe('it is a style sheet of 1000001 bytes (at most 1000000)');
  });

  test('stops at its limits, and says so', async () => {
    const images = Array.from({length: 10_000}, (_, i) => `<img src="${i}.png">`).join('');
    const many = await bundleOf({'/dir/': images, '/dir/0.png': png}, {objects: 5});
    expect(many.asked).toHaveLength(6);
    expect(many.document.leftOut).toContainEqual({
      address: 'http://a.test/dir/',
      why: expect.stringMatching(/names more than 1000 objects$/),
    });
    expect(many.document.leftOut).toContainEqual({
      address: 'http://a.test/dir/7.png',
      why: 'the page has more than 5 objects',
    });
    const huge = Buffer.from(png);
    huge.writeUInt32BE(30_000, 16);
    huge.writeUInt32BE(30_000, 20);
    const {leftOut} = (await bundleOf({'/dir/': '<img src=h.png>', '/dir/h.png': huge})).document;
    expect(leftOut[0]?.why).toBe('it is a picture of 30000 × 30000 pixels (at most 50 million)');
  });

  test('does not convert pictures after the time for conversions has passed, and says so', async () => {
    const html = [0, 1, 2].map(i => `<img src=${i}.png>`).join('');
    const answers = {'/dir/': html, '/dir/0.png': png, '/dir/1.png': png, '/dir/2.png': png};
    let asked = 0;
    const convert: GatherOptions['convert'] = async (bytes, type) => {
      asked += 1;
      if (asked === 2) await new Promise(() => {});
      return {bytes: bytes.subarray(1), type, conversion: {from: 'PNG', fromBytes: bytes.length, ms: 0}};
    };
    const {files, document} = await bundleOf(answers, {convertMs: 100}, {convert});
    expect(asked).toBe(2);
    expect(files.slice(1).map(({bytes}) => png.length - bytes.length)).toEqual([1, 0, 0]);
    expect(document.leftOut).toEqual([
      {
        address: 'http://a.test/dir/',
        why: '2 pictures are not converted: the conversions take more than 0.1 s',
      },
    ]);
  });

  test('reads charsets other than UTF-8, and writes UTF-8', async () => {
    const html = '<meta charset=iso-8859-1><meta http-equiv=Content-Type content="text/html; charset=x">caf\xe9';
    const own = await bundleOf({'/dir/': Buffer.from(html, 'latin1')});
    expect(own.text('index.html')).toBe(
      '<meta charset="utf-8"><meta http-equiv=Content-Type content="text/html; charset=utf-8">café',
    );
    const said = await bundleOf({
      '/dir/': {body: Buffer.from('é', 'utf16le'), type: 'text/html; charset="UTF-16LE"'},
    });
    expect(said.text('index.html')).toBe('é');
    expect(Buffer.from(fileOf(said, 'index.html')).toString()).toBe('\ufeffé');
    expect(Buffer.from(fileOf(own, 'index.html')).toString()[0]).toBe('<');
    expect((await bundleOf({'/dir/': 'ü'})).text('index.html')).toBe('ü');
    expect((await bundleOf({'/dir/': Buffer.from([0xfc])})).text('index.html')).toBe('ü');
    const css = {body: Buffer.from('@charset "latin1";a{content:"\xe9"}', 'latin1'), type: 'text/css'};
    const sheet = await bundleOf({'/dir/': '<link rel=stylesheet href=a.css>', '/dir/a.css': css});
    expect(sheet.text('files/1-a.css')).toBe('@charset "utf-8";a{content:"é"}');
    for (const body of [Buffer.from('\ufeffé'), Buffer.from('\ufeffé', 'utf16le')]) {
      const marked = {body, type: 'text/css; charset=latin1'};
      const {text} = await bundleOf({'/dir/': '<link rel=stylesheet href=a.css>', '/dir/a.css': marked});
      expect(text('files/1-a.css')).toBe('é');
    }
  });

  test('recognises a picture by its bytes, an SVG by its Content-Type, and neither by its name', async () => {
    const bundle = await bundleOf({
      '/dir/':
        '<img src="../dir/a%2e%2e%2fb.jpg?x=1&amp;y"><img src="/svg"><img src="/bad.svg"><img src="/b"><img src="/i">',
      '/dir/a%2e%2e%2fb.jpg?x=1&y': {body: png, type: 'image/gif'},
      '/svg': {body: '<svg xmlns="http://www.w3.org/2000/svg"/>', type: 'image/svg+xml; charset=utf-8'},
      '/bad.svg': {body: '<svg/>', type: 'text/plain'},
      '/b': 'BM and more',
      '/i': '\0\0\x01\0 and more',
    });
    expect(bundle.files.map(({path}) => path)).toEqual([
      'index.html',
      'files/1-a-2e-2e-2fb.png',
      'files/2-svg.svg',
      'files/4-b.bmp',
      'files/5-i.ico',
    ]);
    expect(bundle.document.objects.slice(-2).map(({type}) => type)).toEqual(['image/bmp', 'image/x-icon']);
  });

  test('accepts only HTML', async () => {
    await expect(bundleOf({'/dir/': {body: png, type: 'image/png'}})).rejects.toThrow('it is image/png, not HTML');
    await expect(bundleOf({})).rejects.toThrow('the server answers 404');
  });

  test('gathers all objects of a fixture in their original sizes', async () => {
    const folder = join(import.meta.dirname, '../../../fixtures/pages/gallery');
    const bundle = await gather('http://a.test/', {
      limits: GATEWAY_LIMITS,
      date: new Date(0),
      get: async address => {
        const path = new URL(address).pathname;
        const file = join(folder, path === '/' ? 'index.html' : path);
        if (!existsSync(file)) throw new FetchError('the server answers 404');
        return {address, contentType: path === '/' ? 'text/html' : '', body: readFileSync(file)};
      },
    });
    expect(bundle.document.leftOut).toEqual([]);
    expect(bundle.files.slice(1).map(({bytes}) => bytes.length)).toEqual(
      objectUrls(readFileSync(join(folder, 'index.html'))).map(url => readFileSync(join(folder, url)).length),
    );
  });
});
