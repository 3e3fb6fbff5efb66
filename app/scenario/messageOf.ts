/** What was thrown, in words: of an error its message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
