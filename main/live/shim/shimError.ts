/** A request that is answered by a shim itself. */
export class ShimError extends Error {
  override readonly name = 'ShimError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
