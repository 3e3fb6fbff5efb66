import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingMessage, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {encode} from '@msgpack/msgpack';
import {chromium} from 'playwright-core';
import {build} from 'vite';
import {findBrowser, launchSandboxed} from '../../../main/setup/browser.mjs';
import {wasmModule} from '../../../main/setup/wasm.mjs';
import type {Digest, Job} from './digests.ts';

/** The work of browserWorker.ts. */
export interface Work {
  readonly jobs: readonly Job[];
  /** Modules of Rust tests. */
  readonly tests: readonly Uint8Array[];
}

export interface Answer {
  readonly digests: readonly Digest[];
  readonly tests: readonly (number | string)[];
}

/** Opens a page in a browser, and closes the browser when `isDone` is settled. */
type Browser = (url: string, isDone: Promise<unknown>) => Promise<void>;

/** Runs the scenarios on the module `interleave.wasm`, in a worker of a page that `open` opens in a browser. */
export async function digestsInBrowser(open: Browser, jobs: readonly Job[]): Promise<readonly Digest[]> {
  return (await answerInBrowser(open, {jobs, tests: []})).digests;
}

/** Runs modules of Rust tests in a worker of a page of a browser. Returns the exit code of each, or why it trapped. */
export async function testsInBrowser(
  open: Browser,
  tests: readonly Uint8Array[],
): Promise<readonly (number | string)[]> {
  return (await answerInBrowser(open, {jobs: [], tests})).tests;
}

/** Opens a page whose worker does the work and posts the answer to a server on loopback. */
async function answerInBrowser(open: Browser, work: Work): Promise<Answer> {
  const files: Record<string, [type: string, body: Uint8Array | string]> = {
    '/': ['text/html', '<!doctype html><title>same bytes</title><script src="/page.js"></script>'],
    '/page.js': ['text/javascript', "new Worker('/worker.js', {type: 'module'});"],
    '/worker.js': ['text/javascript', await worker()],
    '/interleave.wasm': ['application/wasm', readFileSync(wasmModule)],
    '/work': ['application/octet-stream', encode(work, {ignoreUndefined: true})],
  };
  const {promise: result, resolve, reject} = settled<Answer>();
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const answer: Answer | {readonly problem: string} = JSON.parse(await bodyOf(request));
      response.end();
      if ('problem' in answer) reject(new Error(answer.problem));
      else resolve(answer);
      return;
    }
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(body === '' ? 404 : 200, {'Content-Type': type}).end(body);
  });
  try {
    await Promise.race([open(await listen(server), result), result]);
    return await result;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

export async function inChromium(url: string, isDone: Promise<unknown>): Promise<void> {
  const browser = await launchSandboxed(
    chromiumSandbox => chromium.launch({executablePath: findBrowser() ?? '', chromiumSandbox}),
    () => undefined,
  );
  try {
    await (await browser.newPage()).goto(url);
    await isDone;
  } finally {
    await browser.close();
  }
}

/**
 * The command of the installed Firefox; undefined if there is none. Playwright cannot drive this Firefox, but no driver
 * is needed: the page posts its result by itself.
 */
export const FIREFOX = ['firefox-esr', 'firefox'].find(name => spawnSync(name, ['--version']).status === 0);

export async function inFirefox(url: string, isDone: Promise<unknown>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'interleave-firefox-'));
  const prefs = {
    'browser.shell.checkDefaultBrowser': false,
    'browser.aboutwelcome.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'toolkit.telemetry.reportingpolicy.firstRun': false,
    'app.update.enabled': false,
  };
  writeFileSync(
    join(profile, 'user.js'),
    Object.entries(prefs)
      .map(([key, value]) => `user_pref('${key}', ${value});\n`)
      .join(''),
  );
  const env = {...process.env, HOME: profile, MOZ_HEADLESS: '1'};
  const firefox = spawn(FIREFOX ?? '', ['--no-remote', '--profile', profile, url], {env, stdio: 'ignore'});
  const ended = new Promise<void>((resolve, reject) => {
    firefox.on('error', reject);
    firefox.on('exit', code => (code === null ? resolve() : reject(new Error(`${FIREFOX} ended with ${code}`))));
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([isDone, ended]);
  } finally {
    firefox.kill();
    await ended.catch(() => undefined);
    rmSync(profile, {recursive: true, force: true, maxRetries: 10});
  }
}

/** Bundles the worker's script. */
async function worker(): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: {entry: join(import.meta.dirname, 'browserWorker.ts'), formats: ['es'], fileName: 'worker'},
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('vite built no worker');
  return output.output[0].code;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function settled<T>(): {promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void} {
  let [resolve, reject] = [(_: T): void => undefined, (_: Error): void => undefined];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return {promise, resolve, reject};
}
