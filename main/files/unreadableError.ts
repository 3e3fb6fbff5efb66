/** Thrown if a file cannot be read. The message is the reason, for example `it is a FIFO`. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}
