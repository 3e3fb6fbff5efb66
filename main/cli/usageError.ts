/** Bad input: the line to print, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
