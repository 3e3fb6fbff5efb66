import {type RefObject, useEffect, useRef} from 'react';
import './dialog.css';

/** Shows a dialog in front of everything else while `isOpen`. Calls `onOpen` before the dialog is shown. */
export function useModal(isOpen: boolean, onOpen?: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run only when the dialog opens or closes
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) {
      onOpen?.();
      dialog.current.showModal();
      // the focused element may be at the end of the dialog, and the browser scrolls to it
      dialog.current.scrollTop = 0;
    } else if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return dialog;
}
