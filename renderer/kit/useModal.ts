import {type RefObject, useEffect, useRef} from 'react';

/** Shows a dialog in front of everything else while `isOpen`. `onOpen` is called before it is shown. */
export function useModal(isOpen: boolean, onOpen?: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is told depends on nothing but the opening
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) {
      onOpen?.();
      dialog.current.showModal();
      // the element that has the focus may be at the dialog's end
      dialog.current.scrollTop = 0;
    } else if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return dialog;
}
