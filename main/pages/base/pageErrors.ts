import {showName} from '../../../app/base/text.ts';

/** Thrown if a page cannot be read. The message is one line that says why. */
export class PageError extends Error {
  override readonly name = 'PageError';

  /** `page` is the page's name, which may be any text from outside. */
  constructor(page: string, why: string) {
    super(`page: ${showName(page)} ${why}`);
  }
}

/** Thrown if an address could not be fetched. The message says why, for the user. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** Whether the reason is that the address is not public, and such addresses were not allowed for this page. */
  readonly isPrivate: boolean;

  constructor(message: string, isPrivate = false) {
    super(message);
    this.isPrivate = isPrivate;
  }
}
