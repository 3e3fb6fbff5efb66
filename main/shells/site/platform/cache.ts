import type {KeptFile} from '../../../files/cache.ts';

/** Replaces main/files/cache.ts in the web edition. The content is kept until the window is closed. */
const kept = new Map<string, Uint8Array>();

export function readKept({kind, key}: KeptFile): Promise<Uint8Array | undefined> {
  return Promise.resolve(kept.get(`${kind} ${key}`));
}

export function keep({kind, key}: KeptFile, content: Uint8Array): Promise<void> {
  kept.set(`${kind} ${key}`, content);
  return Promise.resolve();
}
