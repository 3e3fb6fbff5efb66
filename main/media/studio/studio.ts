import {messageOf} from '../../../app/base/text.ts';
/** Of a session of the Chrome DevTools Protocol, what pictures need. Playwright's and Electron's have it. */
export interface DevTools {
  send(method: string, params?: object): Promise<unknown>;
  /** Closes the page; what is under way in it ends with an error. */
  close(): Promise<void>;
}

/** A browser without a window, with the renderer's pages for movies in it. */
export interface Studio {
  /** What tells its browser from others, which may decode pictures otherwise. */
  readonly browser: string;
  /** Opens another page of the renderer, by its path, at a size of `deviceScaleFactor` 1. */
  openPage(path: string): Promise<DevTools>;
  close(): Promise<void>;
}

/** What went wrong while pictures were taken, in one line for people. */
export class MovieError extends Error {
  override readonly name = 'MovieError';

  /** Of what somebody else threw: its first line. */
  static of(error: unknown): MovieError {
    if (error instanceof MovieError) return error;
    const message = messageOf(error);
    return new MovieError(message.split('\n')[0]);
  }
}

/** What whoever ended it is told. */
export const CANCELLED = new MovieError('it was cancelled');

/**
 * Opens a studio, uses it, and closes it whatever happens. An abort closes it at once, and with it what is under
 * way. @throws MovieError
 */
export async function inStudio<T>(
  open: () => Promise<Studio>,
  signal: AbortSignal,
  use: (studio: Studio) => Promise<T>,
): Promise<T> {
  const studio = await open();
  const close = () => void studio.close();
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    return await use(studio);
  } catch (error) {
    throw signal.aborted ? CANCELLED : error;
  } finally {
    signal.removeEventListener('abort', close);
    await studio.close();
  }
}

/** An object that a page offers as a global variable; its methods take and give plain data. */
export class PageObject {
  readonly #devTools: DevTools;
  readonly #variable: string;
  #calls = 0;

  private constructor(devTools: DevTools, variable: string) {
    this.#devTools = devTools;
    this.#variable = variable;
  }

  /** Waits until the page has it. */
  static async find(devTools: DevTools, variable: string): Promise<PageObject> {
    const object = new PageObject(devTools, variable);
    await object.#evaluate(`new Promise(resolve => {
      const look = () => (window.${variable} ? resolve() : setTimeout(look, 5));
      look();
    })`);
    return object;
  }

  /**
   * Each call runs once: an older Chromium sends a command that is under way again when a frame's document is opened.
   * @throws MovieError with what the page threw.
   */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#calls;
    const run = `Promise.resolve(window.${this.#variable}.${method}(...${JSON.stringify(args)}))`;
    return this.#evaluate(`(calls => calls[${id}] || (calls[${id}] = ${run}.finally(() => delete calls[${id}])))(
      window.callsUnderWay || (window.callsUnderWay = {}))`);
  }

  async #evaluate(expression: string): Promise<unknown> {
    const options = {expression, awaitPromise: true, returnByValue: true};
    const answer = (await this.#devTools.send('Runtime.evaluate', options)) as RuntimeAnswer;
    const thrown = answer.exceptionDetails;
    if (thrown !== undefined) throw MovieError.of(thrown.exception?.description ?? thrown.text);
    return answer.result.value;
  }
}

interface RuntimeAnswer {
  readonly result: {readonly value?: unknown};
  readonly exceptionDetails?: {readonly text: string; readonly exception?: {readonly description?: string}};
}
