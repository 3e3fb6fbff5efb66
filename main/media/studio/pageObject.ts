import {type DevTools, MovieError} from './studio.ts';

/** An object that a page offers as a global variable. Its methods take and return plain data. */
export class PageObject {
  readonly #devTools: DevTools;
  readonly #variable: string;
  #calls = 0;

  private constructor(devTools: DevTools, variable: string) {
    this.#devTools = devTools;
    this.#variable = variable;
  }

  /** Waits until the page has the variable. */
  static async find(devTools: DevTools, variable: string): Promise<PageObject> {
    const object = new PageObject(devTools, variable);
    await object.#evaluate(`new Promise(resolve => {
      const look = () => (window.${variable} ? resolve() : setTimeout(look, 5));
      look();
    })`);
    return object;
  }

  /**
   * Calls a method of the object. An older Chromium executes a command twice if the document of an iframe is opened
   * while the command runs. Each call has an id, so that the method runs only once even then.
   * @throws MovieError with what the page threw
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
