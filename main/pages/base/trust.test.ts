import {createPrivateKey, randomBytes} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createSecureServer, type Http2SecureServer} from 'node:http2';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, expect, test} from 'vitest';
import {QuicListener} from '../../../native/addon/index.js';
import {trustOf} from '../../cli/options/trust.ts';
import {isPublic} from '../../net/publicAddress.ts';
import {Fetcher} from '../fetch/fetcher.ts';
import {fetchRemotely} from '../gateway/remoteGateway.ts';
import {GATEWAY_LIMITS} from './gatewayLimits.ts';
import {FetchError} from './pageErrors.ts';
import type {Trust} from './trust.ts';

// These tests use HTTPS servers with self-signed certificates. Most of them support only HTTP/2.

const folder = mkdtempSync(join(tmpdir(), 'interleave-trust-'));
afterAll(() => rmSync(folder, {recursive: true}));
const servers: Http2SecureServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server with a certificate for that name, and returns the certificate in PEM. */
async function origin(name: string, allowHTTP1 = false): Promise<{readonly url: string; readonly ca: string}> {
  const listener = new QuicListener(
    {
      quic: {profile: 'modern', sendBufferBytes: 65_536, aheadBytes: 65_536},
      receiveBytes: 65_536,
      mtuBytes: 1500,
      names: [name],
    },
    randomBytes(64),
  );
  const key = createPrivateKey({key: Buffer.from(listener.privateKey), format: 'der', type: 'pkcs8'});
  const base64 = Buffer.from(listener.certificate).toString('base64');
  const ca = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  const server = createSecureServer({key: key.export({format: 'pem', type: 'pkcs8'}), cert: ca, allowHTTP1});
  server.on('request', (request, response) => {
    response.setHeader('content-type', 'text/plain');
    response.end(request.url === '/large' ? Buffer.alloc(100_000) : `by HTTP/${request.httpVersion}`);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  servers.push(server);
  return {url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, ca};
}

async function got(url: string, trust?: Trust, mayReach = (_: string) => true): Promise<string> {
  const {signal} = new AbortController();
  const limits = {...GATEWAY_LIMITS, objectBytes: 50_000};
  const fetcher = new Fetcher({limits, mayReach, resolve: () => undefined, trust, signal});
  try {
    return Buffer.from((await fetcher.get(url)).body).toString();
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error.message;
  } finally {
    await fetcher.close();
  }
}

test('pages are fetched over HTTP/2, whether or not the server also supports HTTP/1.1', async () => {
  for (const allowHTTP1 of [false, true]) {
    const {url, ca} = await origin('127.0.0.1', allowHTTP1);
    expect(await got(url, {ca})).toBe('by HTTP/2.0');
  }
});

test('large objects and addresses that are not public are refused over HTTP/2 as well', async () => {
  const {url, ca} = await origin('127.0.0.1');
  expect(await got(`${url}large`, {ca})).toBe('it has more than 50000 bytes');
  expect(await got(url, {isInsecure: true}, isPublic)).toBe('127.0.0.1 is not a public address');
});

test('a self-signed certificate is refused, unless --ca or --insecure accepts it', async () => {
  const [{url, ca}, other] = [await origin('127.0.0.1'), await origin('127.0.0.1')];
  const refused =
    'does not trust the issuer of its certificate (on the command line, --ca FILE names a certificate to trust,';
  expect(await got(url)).toContain(refused);
  expect(await got(url, {ca: other.ca})).toContain(refused);
  // the server's certificate is listed first, because both certificates have the same name and OpenSSL searches by name
  expect(await got(url, {ca: `${ca}${other.ca}`})).toBe('by HTTP/2.0');
  expect(await got(url, {isInsecure: true})).toBe('by HTTP/2.0');
});

test('a trusted certificate is valid only for its own host', async () => {
  const {url, ca} = await origin('elsewhere.test');
  expect(await got(url, {ca})).toContain('its certificate is for another host');
  expect(await got(url, {isInsecure: true})).toBe('by HTTP/2.0');
});

test('a gateway on another machine is used by https only if its certificate is trusted', async () => {
  const {url, ca} = await origin('127.0.0.1', true);
  const asked = async (trust?: Trust): Promise<string> => {
    const request = {address: 'http://page.test/', isProgressive: false, isPrivateAllowed: false, trust};
    const options = {gateway: {address: url, token: 'T'}, signal: new AbortController().signal};
    return fetchRemotely(request, options).then(
      () => 'a bundle',
      (error: Error) => error.message,
    );
  };
  expect(await asked()).toContain(
    'the gateway cannot be reached: this program does not trust the issuer of its certificate',
  );
  // the server is not a gateway, but the client notices that only after the TLS handshake
  for (const trust of [{ca}, {isInsecure: true}]) expect(await asked(trust)).not.toContain('trust');
});

test('--ca is a file of certificates, and excludes --insecure', async () => {
  const {ca} = await origin('127.0.0.1');
  const [good, bad] = [join(folder, 'good.pem'), join(folder, 'bad.pem')];
  writeFileSync(good, ca);
  expect(trustOf({ca: good})).toEqual({ca});
  expect(trustOf({insecure: true})).toEqual({isInsecure: true});
  expect(trustOf({})).toBeUndefined();
  for (const text of ['', 'no certificate', ca.replace(/\n[A-Za-z0-9]/, '\n_')]) {
    writeFileSync(bad, text);
    expect(() => trustOf({ca: bad})).toThrow(`--ca is ${bad}: must be certificates in PEM`);
  }
  expect(() => trustOf({ca: join(folder, 'none')})).toThrow('no file that can be read');
  expect(() => trustOf({ca: good, insecure: true})).toThrow('--ca and --insecure exclude each other');
});
