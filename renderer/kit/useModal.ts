import {type RefObject, useEffect, useRef} from 'react';

/** A dialog that stands in front of all else while `isOpen`; `onOpen` is told before it shows. */
export function useModal(isOpen: boolean, onOpen?: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is told depends on nothing but the opening
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) {
      onOpen?.();
      dialog.current.showModal();
      // what has the focus may be at its end
      dialog.current.scrollTop = 0;
    } else if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return dialog;
}
