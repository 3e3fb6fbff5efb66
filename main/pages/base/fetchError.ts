/** What an address did not give, and why, for people. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** It is no public address, and such were not allowed for this page. */
  readonly isPrivate: boolean;

  constructor(message: string, isPrivate = false) {
    super(message);
    this.isPrivate = isPrivate;
  }
}
