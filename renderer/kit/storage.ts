/** A storage that stores nothing. */
export const NO_STORAGE: Storage = {
  length: 0,
  clear: () => undefined,
  getItem: () => null,
  key: () => null,
  removeItem: () => undefined,
  setItem: () => undefined,
};

/**
 * Returns the storage that lasts until this window is closed. If the user forbids this site to store anything, returns
 * {@link NO_STORAGE}.
 */
export function windowStorage(): Storage {
  try {
    return sessionStorage;
  } catch {
    return NO_STORAGE;
  }
}
