import {KEY_META} from '../../app/host/webKey.ts';

/**
 * Returns the key with which the window connects to its web shell. The page contains the key when it is opened; after a
 * reload (F5) this tab's storage contains it. Returns null if neither contains it. Only pages of the same host
 * and port can read the tab's storage. The query of the page's address has a token that works only once, so it is
 * removed from the history.
 */
export function takeKey(): string | null {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name=${KEY_META}]`);
  if (meta === null) return kept();
  const key = meta.content;
  meta.remove();
  history.replaceState(null, '', location.pathname);
  try {
    sessionStorage.setItem(KEY_META, key);
  } catch {
    // the browser refuses to store the key: the window works, but cannot be reloaded
  }
  return key;
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(KEY_META);
  } catch {
    return null;
  }
}
