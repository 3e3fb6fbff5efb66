import {type ReactNode, useEffect, useRef, useState} from 'react';
import {Icon} from './Icon.tsx';
import './menu.css';

interface MenuProps {
  readonly label: string;
  readonly title: string;
  /** The menu's buttons. */
  readonly children: ReactNode;
}

/**
 * A button that opens a list of buttons below it. The list closes when one of its buttons (except copy buttons) is
 * pressed, when the user presses Escape, when the pointer is pressed outside, and when the focus goes elsewhere.
 */
export function Menu({label, title, children}: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({target}: Event) => {
      // a press of a copy button gives the focus for a moment to a new element at the end of the body (CopyButton.tsx)
      if (!(target instanceof Element) || target.parentElement === document.body) return;
      if (holder.current?.contains(target) === false) setOpen(false);
    };
    window.addEventListener('pointerdown', leave);
    window.addEventListener('focusin', leave);
    return () => {
      window.removeEventListener('pointerdown', leave);
      window.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only closes the list that its own button opens
    <div
      ref={holder}
      className="menu"
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return;
        // Escape must not close anything else
        event.stopPropagation();
        setOpen(false);
        opener.current?.focus();
      }}
    >
      <button ref={opener} type="button" aria-expanded={isOpen} title={title} onClick={() => setOpen(!isOpen)}>
        {label} <Icon name="fold" />
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the presses are those of the buttons inside
        // biome-ignore lint/a11y/useKeyWithClickEvents: a button sends the same event for a key
        <div
          className="menu-list"
          onClick={({target}) => {
            // a copy button shows in its own place that it has copied, so the list stays open
            if (target instanceof Element && target.closest('button:not(.copy)') !== null) setOpen(false);
          }}
        >
          {children}
        </div>
      )}
    </div>
  );
}
