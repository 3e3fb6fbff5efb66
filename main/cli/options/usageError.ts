/** Bad input. Its message becomes the one line on standard error, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The result of `choose`, whose `RangeError` about an option becomes a {@link UsageError} that begins with `--`. */
export function asUsage<T>(choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}
