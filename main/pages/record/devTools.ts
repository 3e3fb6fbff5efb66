import type {Readable, Writable} from 'node:stream';

/**
 * An event of Chromium's DevTools protocol. `sessionId` names the target that sent it. It is absent if the browser
 * itself sent the event.
 */
export interface DevToolsEvent {
  readonly method: string;
  readonly params: DevToolsValues;
  readonly sessionId?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the protocol has no types here; readers check what they use
export type DevToolsValues = {readonly [key: string]: any};

/** Thrown if the browser refuses a command, or has ended. */
export class DevToolsError extends Error {
  override readonly name = 'DevToolsError';
}

/**
 * A connection to Chromium's DevTools over the two pipes of `--remote-debugging-pipe`. Messages are JSON, and end with
 * a zero byte. Chromium ends when the pipes are closed, so it never outlives the process that holds them.
 */
export class DevTools {
  readonly #to: Writable;
  readonly #waiting = new Map<number, {resolve(result: DevToolsValues): void; reject(error: Error): void}>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #last = 0;
  #pieces: string[] = [];
  #ended: DevToolsError | undefined;

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    to.on('error', () => this.end('the browser has ended'));
    from.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    from.on('close', () => this.end('the browser has ended'));
  }

  /** Sends a command, to a target or to the browser itself. @throws DevToolsError */
  send(method: string, params: DevToolsValues = {}, sessionId?: string): Promise<DevToolsValues> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#to.write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    });
  }

  /** Calls `listener` for each event, until the returned function is called. */
  listen(listener: (event: DevToolsEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects all commands that have no answer yet, and all later commands. */
  end(why: string): void {
    this.#ended ??= new DevToolsError(why);
    for (const {reject} of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }

  #take(text: string): void {
    const parts = text.split('\0');
    for (const [i, part] of parts.entries()) {
      this.#pieces.push(part);
      if (i === parts.length - 1) return;
      this.#handle(this.#pieces.join(''));
      this.#pieces = [];
    }
  }

  #handle(message: string): void {
    const {id, result, error, ...event} = JSON.parse(message);
    if (id === undefined) {
      for (const listener of this.#listeners) listener(event);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new DevToolsError(error.message));
  }
}
