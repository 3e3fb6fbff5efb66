/** Replaces `node:os` in the web edition. */
export function availableParallelism(): number {
  return navigator.hardwareConcurrency;
}
