import {useEffect, useSyncExternalStore} from 'react';
import type {Theme} from './objectColours.ts';

/** Returns the chosen theme, or the system's theme if none is chosen, and applies it to the style sheet. */
export function useTheme(chosen: Theme | null): Theme {
  const system = useSyncExternalStore(listen, systemTheme);
  const theme = chosen ?? system;
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return theme;
}

// This function is outside of `useTheme`. Otherwise React would get a new function at each render, and would add the
// listener again.
function listen(listener: () => void): () => void {
  const query = systemDark();
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function systemTheme(): Theme {
  return systemDark().matches ? 'dark' : 'light';
}

/** The query is made only when it is needed, because components are also imported where there is no window. */
function systemDark(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)');
}
