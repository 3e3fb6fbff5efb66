import {request as httpRequest} from 'node:http';
import {connect} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {WebSocket} from 'ws';
import type {WebShell} from '../main/shells/web.ts';
import {openShell} from './window.ts';

// The web shell against whoever is not the window: other programs, and other pages in the same browser.

let shell: WebShell;
let url: URL;
let cookie: string;
beforeAll(async () => {
  shell = await openShell();
  url = new URL(shell.url);
  cookie = (await get(url.pathname + url.search)).cookie;
});
afterAll(() => shell.close());

test('the address brings the cookie, and leaves the token behind', async () => {
  const {status, headers} = await get(url.pathname + url.search);
  expect(status).toBe(303);
  expect(headers.location).toBe('/');
  expect(headers['set-cookie']?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
  expect((await get('/', {cookie})).status).toBe(200);
});

describe('who is refused:', () => {
  test.each([
    ['without the token', '/', {}],
    ['with a wrong token', '/?token=0000', {}],
    ['with a token of the right length', `/?token=${'0'.repeat(64)}`, {}],
    ['with a wrong cookie', '/', {cookie: 'interleave-1=0'}],
  ])('%s', async (_, path, headers) => {
    expect((await get(path, headers)).status).toBe(403);
  });

  test('under another Host, as by DNS rebinding, cookie or not', async () => {
    expect((await get('/', {cookie, host: 'evil.test'})).status).toBe(403);
    expect((await get('/', {cookie, host: `localhost:${url.port}`})).status).toBe(403);
  });

  test('with another method', async () => {
    expect((await get('/', {cookie}, 'POST')).status).toBe(405);
  });
});

test('nothing outside of its folder is served', async () => {
  const paths = [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '//etc/passwd',
    '/assets/',
  ];
  for (const path of paths) expect((await get(path, {cookie})).status, path).toBe(404);
  expect((await get('/assets/%00', {cookie})).status).toBe(404);
});

test('every answer carries the policies', async () => {
  for (const path of ['/', '/nothing']) {
    const {headers} = await get(path, {cookie});
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('it listens on loopback only', async () => {
  expect(url.hostname).toBe('127.0.0.1');
  const socket = connect(Number(url.port), '127.0.0.2');
  const outcome = await new Promise(resolve => {
    socket.on('connect', () => resolve('connected'));
    socket.on('error', () => resolve('refused'));
  });
  socket.destroy();
  expect(outcome).toBe('refused');
});

describe('the WebSocket', () => {
  test('opens for the window', async () => {
    expect(await socketOutcome({cookie, origin: url.origin})).toBe('open');
  });

  test.each([
    ['another page', () => ({cookie, origin: 'http://evil.test'})],
    ['no page', () => ({cookie})],
    ['no cookie', () => ({origin: url.origin})],
    ['another Host', () => ({cookie, origin: url.origin, host: 'evil.test'})],
  ])('stays shut for %s', async (_, headers) => {
    expect(await socketOutcome(headers())).toBe('403');
  });
});

function get(path: string, headers: {readonly [name: string]: string} = {}, method = 'GET') {
  return new Promise<{
    status: number | undefined;
    headers: import('node:http').IncomingHttpHeaders;
    cookie: string;
  }>((resolve, reject) => {
    // node:http sends the path as it is; fetch would tidy it up
    const request = httpRequest({host: '127.0.0.1', port: url.port, path, method, headers}, response => {
      response.resume();
      const [given = ''] = response.headers['set-cookie'] ?? [];
      resolve({status: response.statusCode, headers: response.headers, cookie: given.split(';')[0] ?? ''});
    });
    request.on('error', reject);
    request.end();
  });
}

function socketOutcome(headers: {readonly [name: string]: string}): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${url.port}/`, {headers});
  return new Promise(resolve => {
    socket.on('open', () => {
      socket.close();
      resolve('open');
    });
    socket.on('unexpected-response', (_, response) => resolve(String(response.statusCode)));
    socket.on('error', error => resolve(error.message));
  });
}
