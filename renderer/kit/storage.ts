/** A storage that stores nothing. */
export const NO_STORAGE: Storage = {
  length: 0,
  clear: () => undefined,
  getItem: () => null,
  key: () => null,
  removeItem: () => undefined,
  setItem: () => undefined,
};

/** What is stored until this window is closed. Nothing is stored if the user forbids this site to store anything. */
export function windowStorage(): Storage {
  try {
    return sessionStorage;
  } catch {
    return NO_STORAGE;
  }
}
