import {useEffect, useSyncExternalStore} from 'react';
import type {Theme} from './objectColours.ts';

/** Returns the chosen theme, or the system's theme if none is chosen, and applies it to the style sheet. */
export function useTheme(chosen: Theme | null): Theme {
  const system = useSyncExternalStore(
    listener => {
      SYSTEM_DARK.addEventListener('change', listener);
      return () => SYSTEM_DARK.removeEventListener('change', listener);
    },
    (): Theme => (SYSTEM_DARK.matches ? 'dark' : 'light'),
  );
  const theme = chosen ?? system;
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return theme;
}

const SYSTEM_DARK = window.matchMedia('(prefers-color-scheme: dark)');
