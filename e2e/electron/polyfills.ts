import 'core-js/stable';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import type {Worker, WorkerOptions} from 'node:worker_threads';
import {app, type CustomScheme, ipcMain, protocol} from 'electron';
import {crc32} from '../../app/base/bytes.ts';

// Only for the smoke build, which runs in Electron 9 (build.ts). The product's shell is made for Electron 45, and uses
// these features, which Electron 9 lacks.

/** The part of the web platform's `Response` that the shell uses. */
class Response {
  readonly body: Uint8Array | string;
  readonly status: number;
  readonly headers: {readonly [name: string]: string};

  constructor(
    body: Uint8Array | string,
    {status = 200, headers = {}}: {status?: number; headers?: {readonly [name: string]: string}} = {},
  ) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** The part of the web platform's `AbortController` that the product's main process uses. */
class AbortController {
  readonly signal = new AbortSignal();

  abort(): void {
    this.signal.abort();
  }
}

class AbortSignal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw new Error('aborted');
  }

  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener();
  }
}

interface OldProtocol {
  registerBufferProtocol(
    scheme: string,
    handler: (request: {url: string}, answer: (response: object) => void) => void,
  ): void;
}

const old = protocol as unknown as OldProtocol;
Object.assign(globalThis, {Response, AbortController});
Object.assign(protocol, {
  handle: (scheme: CustomScheme['scheme'], handler: (request: {url: string}) => Response) => {
    old.registerBufferProtocol(scheme, (request, answer) => {
      const {body, status, headers} = handler(request);
      const mimeType = headers['Content-Type']?.split(';')[0];
      answer({data: Buffer.from(body as Uint8Array), statusCode: status, headers, mimeType});
    });
  },
});

// events of Electron 9 have no `senderFrame`; only top frames have the preload script, so every caller is a top frame
const handle: typeof ipcMain.handle = ipcMain.handle.bind(ipcMain);
ipcMain.handle = (channel, listener) =>
  handle(channel, (event, ...args) =>
    listener(Object.assign(event, {senderFrame: {parent: null, url: event.sender.getURL()}}), ...args),
  );

app.on('web-contents-created', (_event, contents) => {
  // the product's own listener is called after this one, and uses this method
  Object.assign(contents, {
    setWindowOpenHandler: (handler: (details: {url: string}) => {action: string}) => {
      (contents as NodeJS.EventEmitter).on('new-window', (event: Electron.Event, url: string) => {
        if (handler({url}).action === 'deny') event.preventDefault();
      });
    },
  });
});

// only one thread, because Node 12.14, unlike Node 20, sometimes aborts if several threads end together
const system = createRequire(__filename)('os') as {availableParallelism(): number};
system.availableParallelism = () => 1;

// the `statSync` of Node 12.14 has no option throwIfNoEntry
const files = createRequire(__filename)('fs') as {
  statSync(path: string, options?: {throwIfNoEntry?: boolean}): unknown;
};
const {statSync} = files;
files.statSync = (path, options) => {
  try {
    return statSync(path, options);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (options?.throwIfNoEntry === false && isMissing) return undefined;
    throw error;
  }
};

// the zlib of Node 12.14 has no crc32
Object.assign(createRequire(__filename)('zlib') as object, {crc32});

// Node 12.14 accepts the file of a thread only as a path
const threads = createRequire(__filename)('worker_threads') as {
  Worker: new (file: string, options: WorkerOptions) => Worker;
};
threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions) {
    super(typeof file === 'string' ? file : fileURLToPath(file), options);
  }
};
