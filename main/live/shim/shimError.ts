/** Thrown if the shim itself is to answer a request, with this status and message. */
export class ShimError extends Error {
  override readonly name = 'ShimError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
