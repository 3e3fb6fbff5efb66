/** Of a session of the Chrome DevTools Protocol, what pictures need. Playwright's and Electron's have it. */
export interface DevTools {
  send(method: string, params?: object): Promise<unknown>;
}

/** A browser without a window, with the renderer's pages for movies in it. */
export interface Studio {
  /** Opens another page of the renderer, by its path, at a size of `deviceScaleFactor` 1. */
  openPage(path: string): Promise<DevTools>;
  close(): Promise<void>;
}

/** What went wrong while pictures were taken, for people. */
export class MovieError extends Error {
  override readonly name = 'MovieError';
}

/** An object that a page offers as a global variable; its methods give plain data. */
export class PageObject {
  readonly #devTools: DevTools;
  readonly #objectId: string;

  private constructor(devTools: DevTools, objectId: string) {
    this.#devTools = devTools;
    this.#objectId = objectId;
  }

  /** Waits until the page has it. */
  static async find(devTools: DevTools, variable: string): Promise<PageObject> {
    const expression = `new Promise(resolve => {
      const look = () => (window.${variable} ? resolve(window.${variable}) : setTimeout(look, 5));
      look();
    })`;
    const answer = (await devTools.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
    })) as RuntimeAnswer;
    return new PageObject(devTools, answer.result.objectId ?? '');
  }

  /** @throws MovieError with what the page threw. */
  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    const answer = (await this.#devTools.send('Runtime.callFunctionOn', {
      objectId: this.#objectId,
      functionDeclaration: `function (...args) { return this.${method}(...args); }`,
      arguments: args.map(value => ({value})),
      awaitPromise: true,
      returnByValue: true,
    })) as RuntimeAnswer;
    const thrown = answer.exceptionDetails;
    if (thrown !== undefined) throw new MovieError(thrown.exception?.description ?? thrown.text);
    return answer.result.value;
  }
}

interface RuntimeAnswer {
  readonly result: {readonly objectId?: string; readonly value?: unknown};
  readonly exceptionDetails?: {readonly text: string; readonly exception?: {readonly description?: string}};
}
