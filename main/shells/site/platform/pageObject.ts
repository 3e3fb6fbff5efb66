import {MovieError} from '../../../media/studio/studio.ts';
import type {StageFrame} from '../siteStudio.ts';

/** Methods that take and return plain data. */
type Methods = {readonly [method: string]: (...args: readonly unknown[]) => unknown};

/**
 * An object that a page in an iframe offers as a global variable. The window calls its methods. This class replaces
 * main/media/studio/pageObject.ts in the web edition. The arguments of a call are copied into the iframe, and the
 * result is copied into the window. The copies are needed because the iframe and the window each have their own classes
 * of typed arrays, such as `Uint8Array`, and test whether arrays are instances of these classes.
 */
export class PageObject {
  readonly #frame: StageFrame;
  readonly #object: Methods;

  private constructor(frame: StageFrame, object: Methods) {
    this.#frame = frame;
    this.#object = object;
  }

  /** Waits until the page has set the global variable of this name, and returns its object. */
  static async find(frame: StageFrame, variable: string): Promise<PageObject> {
    const found = async (): Promise<Methods> => {
      for (;;) {
        const object = (frame.window as unknown as {readonly [variable: string]: Methods | undefined})[variable];
        if (object !== undefined) return object;
        await new Promise(resolve => setTimeout(resolve, LOOK_MS));
      }
    };
    return new PageObject(frame, await frame.whileOpen(found()));
  }

  /** Calls a method of the object. @throws MovieError with what the page threw */
  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    try {
      const own = this.#frame.window.structuredClone(args);
      return structuredClone(await this.#frame.whileOpen(this.#object[method]?.(...own)));
    } catch (error) {
      throw MovieError.of(error);
    }
  }
}

const LOOK_MS = 5;
