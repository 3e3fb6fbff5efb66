/** Thrown for bad input. The message becomes the one line on standard error, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Returns the result of `choose`. If that throws a `RangeError` about an option, throws a {@link UsageError} with `--`
 * before its message.
 */
export function asUsage<T>(choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}
