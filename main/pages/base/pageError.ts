import {showName} from '../../../app/base/text.ts';

/** A page cannot be read. The message is one line that says why. */
export class PageError extends Error {
  override readonly name = 'PageError';

  /** `page` is the page's name, which may be any text from outside. */
  constructor(page: string, why: string) {
    super(`page: ${showName(page)} ${why}`);
  }
}
