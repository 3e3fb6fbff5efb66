/** An address could not be fetched. The message tells the user why. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** Whether the reason is that the address is not public, and such addresses were not allowed for this page. */
  readonly isPrivate: boolean;

  constructor(message: string, isPrivate = false) {
    super(message);
    this.isPrivate = isPrivate;
  }
}
