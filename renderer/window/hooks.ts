import {useEffect, useSyncExternalStore} from 'react';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {typeAddress} from '../features/opening/AddressBar.tsx';
import {openDropped} from '../features/opening/dropped.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {Session} from '../session/session.ts';
import {type FocusedBy, handleKey, isTextField} from './keyboard.ts';

/** The theme chosen, or the system's; the style sheet follows it. */
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

export function useKeys(session: Session): void {
  useEffect(() => {
    let pointedAt: EventTarget | null = null;
    let focusedBy: FocusedBy = 'keyboard';
    const point = ({target}: Event) => {
      pointedAt = target;
      focusedBy = 'pointer';
    };
    const press = (event: KeyboardEvent) => {
      pointedAt = null;
      if (event.key === 'Tab') focusedBy = 'keyboard';
      if (handleKey(session, event, focusedBy)) event.preventDefault();
    };
    // a choice made with the pointer is over: the next letter is a shortcut, not another choice
    const release = ({target}: Event) => {
      if (target instanceof HTMLSelectElement && target === pointedAt) target.blur();
    };
    window.addEventListener('pointerdown', point);
    window.addEventListener('keydown', press);
    window.addEventListener('change', release);
    return () => {
      window.removeEventListener('pointerdown', point);
      window.removeEventListener('keydown', press);
      window.removeEventListener('change', release);
    };
  }, [session]);
}

/** What is dropped on the window is opened: a page, a scenario, a trace, a story or a link. */
export function useDrop(session: Session): void {
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      if (event.dataTransfer !== null) void openDropped(session, event.dataTransfer);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, [session]);
}

/** A scenario link pasted anywhere but into a field is opened; an address is for its bar. */
export function usePaste(session: Session): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (isTextField(event.target)) return;
      const text = event.clipboardData?.getData('text') ?? '';
      if (isScenarioLink(text)) session.openDocument({name: 'the link', text});
      else if (/^\s*https?:\/\/\S+\s*$/i.test(text)) typeAddress(text.trim());
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, [session]);
}
