/** Thrown for bad input. The command line prints the message on standard error and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Returns the result of `choose`. If `choose` throws a `RangeError`, whose message begins with the name of an option,
 * this throws a {@link UsageError} with the same message after `--`.
 */
export function asUsage<T>(choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}
