/** Replaces `node:timers/promises` in the web edition. */
export async function setTimeout<T>(ms: number, value?: T, {signal}: {signal?: AbortSignal} = {}): Promise<T> {
  await new Promise<void>((resolve, reject) => {
    const timer = globalThis.setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
  return value as T;
}
