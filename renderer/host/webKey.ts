import {KEY_META} from '../../app/host/webKey.ts';

/**
 * The window's key to its web shell: what its page has brought, or, when that was loaded again (F5), what this tab has
 * kept of it; null without. A tab's storage is for pages of this port alone. The address, which is used up, leaves the
 * history.
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
    // a browser that keeps nothing: the window cannot be loaded again
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
