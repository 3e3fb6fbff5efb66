import {useEffect} from 'react';
import type {Feature, Shortcut} from '../features/feature.ts';
import type {Session} from '../session/session.ts';
import {type FocusedBy, handleKey, isTextField} from './keyboard.ts';

export function useKeys(session: Session, shortcuts: readonly Shortcut[]): void {
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
      if (handleKey(session, shortcuts, event, focusedBy)) event.preventDefault();
    };
    // removes the focus from a list in which the user chose with the pointer; with the focus on the list, the next
    // letter key would choose again instead of acting as a shortcut
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
  }, [session, shortcuts]);
}

/** Passes dropped files and links to the features. */
export function useDrop(session: Session, features: readonly Feature[]): void {
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      if (event.dataTransfer === null) return;
      for (const feature of features) feature.drop?.(session, event.dataTransfer);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, [session, features]);
}

/** Passes pasted text to the features, unless it is pasted into a field. */
export function usePaste(session: Session, features: readonly Feature[]): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (isTextField(event.target)) return;
      const text = event.clipboardData?.getData('text') ?? '';
      for (const feature of features) feature.paste?.(session, text);
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, [session, features]);
}
