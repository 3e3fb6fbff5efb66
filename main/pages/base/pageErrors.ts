import {showName} from '../../../app/base/text.ts';

/** Thrown if a page cannot be read. The message is one line that says why. */
export class PageError extends Error {
  override readonly name = 'PageError';

  /** `page` is the page's name. It may contain any characters, because the user or a file supplies it. */
  constructor(page: string, why: string) {
    super(`page: ${showName(page)} ${why}`);
  }
}

/** Thrown if an address could not be fetched. The message tells the user why. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** Whether the address was refused because it is not public. */
  readonly isPrivate: boolean;

  constructor(message: string, isPrivate = false) {
    super(message);
    this.isPrivate = isPrivate;
  }
}
