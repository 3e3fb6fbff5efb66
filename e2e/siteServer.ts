import {createReadStream, statSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {extname, join} from 'node:path';
import {createGzip} from 'node:zlib';
import type {Page} from 'playwright-core';
import {builtSite} from '../main/setup/site.mjs';
import {buildWasm} from '../main/setup/wasm.mjs';
import {whySkipped} from './window.ts';

/** Why the tests of the web edition are skipped; empty if they are run. */
export async function whySiteSkipped(): Promise<string> {
  if (whySkipped !== '') return whySkipped;
  const missing = await buildWasm();
  return missing === undefined ? '' : ` (skipped: ${missing})`;
}

/**
 * A static server of the web edition, as simple as GitHub Pages. It serves the site under a folder, with gzip and ten
 * minutes of cache. Like some other servers, it redirects `index.html` to its folder.
 */
export interface SiteServer {
  /** The address of the site's folder, with a slash at its end. */
  readonly address: string;
  /** Starts a server whose only page is `page`, and returns its address, which has another origin. */
  readonly other: (page: string) => Promise<string>;
  /**
   * How many bytes of the site's files the server has sent. Most files are compressed; their compressed bytes count.
   */
  readonly sentBytes: () => number;
  /** Stops answering, as if the network were gone. */
  readonly stop: () => Promise<void>;
}

/** Builds the web edition if necessary, and serves it. */
export async function serveSite(): Promise<SiteServer> {
  const folder = await builtSite();
  const servers: Server[] = [];
  let sentBytes = 0;
  const listen = async (server: Server): Promise<string> => {
    servers.push(server);
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const origin = await listen(
    createServer(({url = '/'}, response) => {
      const {pathname} = new URL(url, 'http://site.test');
      const path = pathname.startsWith(FOLDER) ? pathname.slice(FOLDER.length) : undefined;
      const file =
        path === undefined ? undefined : join(folder, path.endsWith('/') || path === '' ? `${path}index.html` : path);
      const stats = file === undefined ? undefined : statSync(file, {throwIfNoEntry: false});
      if (file === undefined || stats === undefined) response.writeHead(404).end('not found');
      else if (stats.isDirectory()) response.writeHead(301, {location: `${pathname}/`}).end();
      else if (pathname.endsWith(INDEX)) response.writeHead(301, {location: pathname.slice(0, -INDEX.length)}).end();
      else {
        const type = TYPES[extname(file)] ?? 'application/octet-stream';
        const isPacked = !['.woff2', '.page'].includes(extname(file));
        response.writeHead(200, {
          'content-type': type,
          'cache-control': 'max-age=600',
          ...(isPacked ? {'content-encoding': 'gzip'} : {}),
        });
        const bytes = createReadStream(file);
        const sent = isPacked ? bytes.pipe(createGzip()) : bytes;
        sent.on('data', (piece: Buffer) => {
          sentBytes += piece.length;
        });
        sent.pipe(response);
      }
    }),
  );
  return {
    address: origin + FOLDER,
    sentBytes: () => sentBytes,
    other: page => listen(createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))),
    stop: async () => {
      for (const server of servers.splice(0)) {
        server.closeAllConnections();
        await new Promise(done => server.close(done));
      }
    },
  };
}

const FOLDER = '/interleave/';
const INDEX = 'index.html';

const TYPES: {readonly [extension: string]: string} = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

/** Returns the faults of the page: errors, and requests to other origins. Later faults are added to the list. */
export function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', error => faults.push(error.message));
  page.context().on('request', request => {
    const {protocol, origin} = new URL(request.url());
    const isOwn = ['data:', 'blob:'].includes(protocol) || origin === new URL(page.url()).origin;
    if (!isOwn && page.url() !== 'about:blank') faults.push(`a request to ${request.url()}`);
  });
  return faults;
}
