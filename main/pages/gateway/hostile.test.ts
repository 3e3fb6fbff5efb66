import {createServer, type RequestListener, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import sharp from 'sharp';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {GATEWAY_LIMITS, type GatewayLimits} from '../base/gatewayLimits.ts';
import {Fetcher} from '../fetch/fetcher.ts';
import {gather} from '../fetch/gather.ts';
import {progressive} from '../fetch/progressive.ts';
import type {Bundle} from '../store/bundle.ts';

// These tests fetch pages from a hostile server on loopback, and check the files of the bundles.

let server: Server;
let port = 0;
/** Host and path of every request that the server received. */
let asked: string[] = [];
let png: Buffer;
let jpeg: Buffer;

beforeAll(async () => {
  const noise = {type: 'gaussian', mean: 128, sigma: 40} as const;
  const create = {width: 64, height: 64, channels: 3, background: '#123', noise} as const;
  [png, jpeg] = await Promise.all([sharp({create}).png().toBuffer(), sharp({create}).jpeg().toBuffer()]);
  server = createServer((request, response) => {
    asked.push(`${request.headers.host?.replace(/:.*/, '')}${request.url}`);
    (answers[request.url ?? ''] ?? ((_, missing) => void missing.writeHead(404).end()))(request, response);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let answers: {readonly [path: string]: RequestListener} = {};

const sent =
  (type: string, body: string | Uint8Array, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, {'content-type': type, ...headers}).end(body);
const html = (body: string | Uint8Array) => sent('text/html', body);
const css = (body: string | Uint8Array) => sent('text/css', body);
const picture = (body: Uint8Array) => sent('image/png', body);
const redirect =
  (to: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, {location: to.replace('PORT', String(port)), connection: 'close'}).end();

/** Fetches the page at `/` of these answers. All host names lead to this server, as if it were the Internet. */
async function pageOf(
  these: typeof answers,
  choice: {limits?: Partial<GatewayLimits>; isProgressive?: boolean} = {},
): Promise<Bundle & {why: {[address: string]: string}; text: (path: string) => string}> {
  [answers, asked] = [these, []];
  const limits = {...GATEWAY_LIMITS, ...choice.limits};
  let lookups = 0;
  const fetcher = new Fetcher({
    limits,
    mayReach: address => address === '127.0.0.1',
    resolve: (host, done) => {
      const isRebound = host === 'rebind.test' && lookups++ > 0;
      done(null, [{address: isRebound ? '10.0.0.7' : '127.0.0.1', family: 4}]);
    },
    signal: new AbortController().signal,
  });
  try {
    const bundle = await gather(`http://page.test:${port}/`, {
      limits,
      date: new Date(0),
      get: address => fetcher.get(address),
      ...(choice.isProgressive ? {convert: (bytes, type) => progressive(bytes, type, () => 0)} : {}),
    });
    const why: {[address: string]: string} = {};
    for (const each of bundle.document.leftOut) {
      why[each.address.replace(`http://page.test:${port}`, '')] = each.why;
    }
    // the only addresses are the bundle's own files, and everything is UTF-8
    const text = (path: string) => {
      const file = bundle.files.find(each => each.path === path);
      return new TextDecoder('utf-8', {fatal: true}).decode(file?.bytes);
    };
    expect(text('index.html')).not.toMatch(/(src|href)="?(https?:)?\/\//);
    return {...bundle, why, text};
  } finally {
    await fetcher.close();
  }
}

test('redirects to refused addresses are not followed, and endless redirects end', async () => {
  const {why, files} = await pageOf({
    '/': html('<img src=round><img src=inside><img src=file><img src=rebound><img src=again><img src=there>'),
    '/round': redirect('/round'),
    '/inside': redirect('http://10.0.0.7/a.png'),
    '/file': redirect('file:///etc/passwd'),
    // the name resolves to this server first, and to an internal address when it is looked up again
    '/rebound': redirect('http://rebind.test:PORT/first'),
    '/first': redirect('http://rebind.test:PORT/second'),
    '/again': redirect('http://127.0.0.2/a.png'),
    '/there': redirect('/a.png'),
    '/a.png': picture(png),
  });
  expect(why).toMatchObject({
    '/round': 'it is redirected more than 10 times',
    '/inside': expect.stringContaining('10.0.0.7 is not a public address'),
    '/file': 'it is not an http(s) or sctp address, but file:',
    '/rebound': expect.stringContaining('rebind.test is 10.0.0.7, which is not a public address'),
    '/again': expect.stringContaining('127.0.0.2 is not a public address'),
  });
  expect(files.map(({path}) => path)).toEqual(['index.html', 'files/6-a.png']);
  expect(asked.filter(each => each.endsWith('/round'))).toHaveLength(11);
  expect(asked.filter(each => !/^(page|rebind)\.test\//.test(each))).toEqual([]);
});

test('objects of servers that send nothing or single bytes are left out after the time limit', async () => {
  const {why, files} = await pageOf(
    {
      '/': html('<img src=silent><img src=slow>'),
      '/silent': () => {},
      '/slow': (_, response) => {
        const timer = setInterval(() => response.write('a'), 50);
        response.on('close', () => clearInterval(timer));
      },
    },
    {limits: {objectMs: 500}},
  );
  expect(why).toEqual({'/silent': 'it takes more than 0.5 s', '/slow': 'it takes more than 0.5 s'});
  expect(files).toHaveLength(1);
});

test('endless, huge and explosively compressed objects are left out, and the rest of the page is kept', async () => {
  const mb = Buffer.alloc(5_000_000);
  const brotli = brotliCompressSync(mb, {params: {[constants.BROTLI_PARAM_QUALITY]: 1}});
  const names = ['endless', 'huge', 'gzip', 'brotli', 'short', 'broken', 'a.png'];
  const {why, files} = await pageOf(
    {
      '/': html(names.map(name => `<img src=${name}>`).join('')),
      '/endless': (_, response) => {
        const more = () => response.writable && response.write(Buffer.alloc(9999), () => setImmediate(more));
        more();
      },
      '/huge': picture(mb),
      '/gzip': sent('image/png', gzipSync(mb), {'content-encoding': 'gzip'}),
      '/brotli': sent('image/png', brotli, {'content-encoding': 'br'}),
      '/short': (_, response) => {
        response.writeHead(200, {'content-length': png.length + 1}).write(png);
        setTimeout(() => response.destroy(), 20);
      },
      '/broken': sent('image/png', png, {'content-encoding': 'gzip'}),
      '/a.png': picture(png),
    },
    {limits: {objectMs: 60_000, objectBytes: 1_000_000}},
  );
  expect(why).toEqual({
    '/endless': 'it has more than 1000000 bytes',
    '/huge': 'it has more than 1000000 bytes',
    '/gzip': 'it has more than 1000000 bytes',
    '/brotli': 'it has more than 1000000 bytes',
    '/short': expect.stringMatching(/closed the connection early|its length differs/),
    '/broken': 'its compressed data is damaged',
  });
  expect(files.map(({path}) => path)).toEqual(['index.html', 'files/7-a.png']);
});

test('objects of a wrong type are left out', async () => {
  const {why, files} = await pageOf({
    '/': html(`<img src=page><link rel=stylesheet href=picture><link rel=stylesheet href=text>
      <style>@font-face{src:url(font)}a{background:url(sheet)}</style>`),
    '/page': html('<p>no picture'),
    '/picture': picture(png),
    '/text': sent('text/plain', 'a{}'),
    '/font': sent('font/woff2', '<p>no font'),
    '/sheet': css('a{}'),
  });
  expect(why).toEqual({
    '/page': 'it is not a picture that browsers show',
    '/picture': 'it is image/png, not a style sheet',
    '/text': 'it is text/plain, not a style sheet',
    '/font': 'it is not a font that browsers accept',
    '/sheet': 'it is not a picture that browsers show',
  });
  expect(files).toHaveLength(1);
  await expect(pageOf({'/': picture(png)})).rejects.toThrow('it is image/png, not HTML');
});

test('endless imports are cut off: style sheets that import themselves, each other, or ever new ones', async () => {
  const imports = Object.fromEntries(
    Array.from({length: 50}, (_, i) => [
      `/${i}.css`,
      css(`@import "${i + 1}.css"; @import "0.css"; @import "${i}.css";`),
    ]),
  );
  const {why} = await pageOf({'/': html('<link rel=stylesheet href=0.css>'), ...imports});
  expect(why).toMatchObject({'9.css': 'sheets import each other more than 8 deep'});
  expect(asked.filter(each => each.endsWith('.css'))).toHaveLength(9);
});

test('of 10,000 pictures, no more are requested than a page may have', async () => {
  const images = Array.from({length: 10_000}, (_, i) => `<img src=${i}.png>`).join('');
  const {why, document} = await pageOf({'/': html(images)}, {limits: {objects: 50}});
  expect(asked).toHaveLength(51);
  expect(why['/']).toMatch(/names more than 1000 objects$/);
  expect(why['/60.png']).toBe('the page has more than 50 objects');
  expect(document.leftOut).toHaveLength(1001);
});

test('invalid HTML, CSS and UTF-8 are read as far as possible', async () => {
  const broken = Buffer.from('<div <p <img src=a.png </p><!-- <img src=no.png> --!><table><img src="b.png', 'utf8');
  const {why, files, text} = await pageOf({
    '/': html(
      Buffer.concat([Buffer.from('<meta charset=utf-8>\xff<link rel=stylesheet href=x.css>', 'latin1'), broken]),
    ),
    '/x.css': css(Buffer.from('}}@import;{a:b "url(no.png)\n;} \xff\xfe c{background:url("a.png"', 'latin1')),
    '/a.png': picture(png),
  });
  expect(text('index.html')).toContain('\ufffd');
  expect(text('files/1-x.css')).toContain('url("2-a.png")');
  expect(files.map(({path}) => path)).toEqual(['index.html', 'files/1-x.css', 'files/2-a.png']);
  expect(Object.keys(why)).toEqual([]);
  const control = await pageOf({
    '/': html(Buffer.from(Array.from({length: 65_536}, (_, i) => (i * 7919) % 256))),
  });
  expect(control.files).toHaveLength(1);
});

test('truncated and damaged pictures are kept unchanged, and pictures that are too large are left out', async () => {
  const [cut, damaged, huge, bomb] = [jpeg.subarray(0, 700), Buffer.from(png), Buffer.from(png), Buffer.alloc(60)];
  damaged.fill(0xff, 60, 300);
  huge.writeUInt32BE(30_000, 16);
  huge.writeUInt32BE(30_000, 20);
  bomb.write('BM');
  bomb.writeUInt32LE(40, 14);
  bomb.writeInt32LE(30_000, 18);
  bomb.writeInt32LE(-30_000, 22);
  const {why, files} = await pageOf(
    {
      '/': html('<img src=cut><img src=damaged><img src=huge><img src=bomb><img src=head>'),
      '/cut': picture(cut),
      '/damaged': picture(damaged),
      '/huge': picture(huge),
      '/bomb': picture(bomb),
      '/head': picture(png.subarray(0, 12)),
    },
    {isProgressive: true},
  );
  expect(why).toEqual({
    '/huge': 'it is a picture of 30000 × 30000 pixels (at most 50 million)',
    '/bomb': 'it is a picture of 30000 × 30000 pixels (at most 50 million)',
  });
  expect(files.slice(1).map(({bytes}) => Buffer.from(bytes))).toEqual([cut, damaged, png.subarray(0, 12)]);
});

test('references in a drawing are never requested, neither in the page nor in a file', async () => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
    <script href="http://evil.test/a.js">fetch("http://evil.test/")</script><image xlink:href="http://evil.test/a.png" />
    <style>@import "http://evil.test/a.css"</style><use href="http://evil.test/a.svg#a" /></svg>`;
  const {document} = await pageOf({
    '/': html(`<img src=a.svg>${drawing.replace(/<style.*<\/style>/, '')}`),
    '/a.svg': sent('image/svg+xml', drawing),
  });
  expect(asked).toEqual(['page.test/', 'page.test/a.svg']);
  expect(document.notLoaded).toEqual(['1 script', '2 references of drawings']);
});
