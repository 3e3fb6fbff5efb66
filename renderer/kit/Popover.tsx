import {type ReactNode, useId, useRef, useState} from 'react';
import {Icon} from './Icon.tsx';

interface PopoverProps {
  /** The text of the button that opens the popover. */
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** A button, and controls that it shows above or below itself. Another press, Escape or a click elsewhere hides them. */
export function Popover({label, title, children}: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = () => {
    const at = button.current?.getBoundingClientRect();
    const box = content.current;
    if (at === undefined || box === null) return;
    const {innerWidth, innerHeight} = window;
    box.style.left = `${Math.max(Math.min(at.left, innerWidth - box.offsetWidth - EDGE_PX), EDGE_PX)}px`;
    const isAbove = at.top > innerHeight - at.bottom;
    box.style.top = isAbove ? 'auto' : `${at.bottom + GAP_PX}px`;
    box.style.bottom = isAbove ? `${innerHeight - at.top + GAP_PX}px` : 'auto';
  };
  return (
    <>
      <button ref={button} type="button" popoverTarget={id} aria-expanded={isOpen} title={title}>
        {label} <Icon name="fold" />
      </button>
      <div
        ref={content}
        id={id}
        popover="auto"
        className="popover"
        onToggle={event => {
          const isNowOpen = event.newState === 'open';
          setOpen(isNowOpen);
          if (isNowOpen) place();
          if (isNowOpen) open = event.currentTarget;
          else if (open === event.currentTarget) open = null;
        }}
      >
        {children}
      </div>
    </>
  );
}

/** Closes the popover that is open. Returns false if none is open. */
export function closePopover(): boolean {
  const isShown = open?.isConnected === true;
  if (isShown) open?.hidePopover();
  open = null;
  return isShown;
}

/** The content that is shown; null if no popover is open. Browsers show only one at a time. */
let open: HTMLElement | null = null;
const EDGE_PX = 4;
const GAP_PX = 2;
