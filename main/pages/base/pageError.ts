import {showName} from '../../../app/base/text.ts';

/** A page that cannot be read, and why, in one line. */
export class PageError extends Error {
  override readonly name = 'PageError';

  /** `page` is its name, which may be anybody's text. */
  constructor(page: string, why: string) {
    super(`page: ${showName(page)} ${why}`);
  }
}
