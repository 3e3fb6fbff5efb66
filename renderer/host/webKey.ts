import {KEY_META} from '../../app/host/webKey.ts';

/**
 * Returns the window's key to its web shell: the one that came with the page, or, after a reload (F5), the one that
 * this tab has kept; null if there is none. Only pages of this port can read the tab's storage. The page's address,
 * which works only once, is removed from the history.
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
    // the browser keeps nothing, so that the window cannot be reloaded
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
