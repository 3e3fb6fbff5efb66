/** The reason why the shim answers a request itself. The answer has this status and message. */
export class ShimError extends Error {
  override readonly name = 'ShimError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
