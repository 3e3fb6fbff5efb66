import 'core-js/stable';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import type {Worker, WorkerOptions} from 'node:worker_threads';
import {app, type CustomScheme, ipcMain, protocol} from 'electron';
import {crc32} from '../../app/base/bytes.ts';

// For the smoke build only: what Electron 9 lacks of what the product's shell, made for Electron 45, uses.

/** Of the web platform's Response, what the shell makes. */
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

/** Of the web platform's AbortController, what the host uses. */
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

// frames below the top have no preload here, so whoever asks is a top frame
const handle: typeof ipcMain.handle = ipcMain.handle.bind(ipcMain);
ipcMain.handle = (channel, listener) =>
  handle(channel, (event, ...args) =>
    listener(Object.assign(event, {senderFrame: {parent: null, url: event.sender.getURL()}}), ...args),
  );

app.on('web-contents-created', (_event, contents) => {
  // the product's listener, which comes later, calls it
  Object.assign(contents, {
    setWindowOpenHandler: (handler: (details: {url: string}) => {action: string}) => {
      (contents as NodeJS.EventEmitter).on('new-window', (event: Electron.Event, url: string) => {
        if (handler({url}).action === 'deny') event.preventDefault();
      });
    },
  });
});

// one thread: Node 12.14 now and then aborts when several end at once, none of Node 20's does
const system = createRequire(__filename)('os') as {availableParallelism(): number};
system.availableParallelism = () => 1;

// Node 12.14's zlib has no crc32
Object.assign(createRequire(__filename)('zlib') as object, {crc32});

// Node 12.14 takes a thread's file by its path only
const threads = createRequire(__filename)('worker_threads') as {
  Worker: new (file: string, options: WorkerOptions) => Worker;
};
threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions) {
    super(typeof file === 'string' ? file : fileURLToPath(file), options);
  }
};
