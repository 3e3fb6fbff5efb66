/** Replaces `node:timers/promises` in the web edition. */
export async function setTimeout<T>(ms: number, value?: T, {signal}: {signal?: AbortSignal} = {}): Promise<T> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, {once: true});
  });
  return value as T;
}
