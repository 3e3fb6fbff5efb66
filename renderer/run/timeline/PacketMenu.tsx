import {type ReactNode, useEffect, useLayoutEffect, useRef} from 'react';
import type {Point} from './drawing.ts';

interface PacketMenuProps {
  /** The position of the click, CSS px of the timeline. */
  readonly at: Point;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A small box beside a packet that was clicked. A press, a turn of the wheel or a key outside of the box closes it. The
 * timeline below does not notice the pointer in the box.
 */
export function PacketMenu({at, onClose, children}: PacketMenuProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const area = element?.parentElement;
    if (element == null || area == null) return;
    const {offsetWidth: width, offsetHeight: height} = element;
    const x = Math.max(0, Math.min(at.x + GAP_PX, area.clientWidth - width));
    // above the click if there is no room below, so that the box does not cover the packet
    const below = at.y + GAP_PX;
    const y = below + height <= area.clientHeight ? below : Math.max(at.y - GAP_PX - height, -area.offsetTop);
    element.style.translate = `${x}px ${y}px`;
  }, [at]);
  useEffect(() => {
    const close = ({target}: Event): void => {
      if (!(target instanceof Node && box.current?.contains(target) === true)) onClose();
    };
    window.addEventListener('pointerdown', close, true);
    window.addEventListener('wheel', close, true);
    window.addEventListener('keydown', close, true);
    return () => {
      window.removeEventListener('pointerdown', close, true);
      window.removeEventListener('wheel', close, true);
      window.removeEventListener('keydown', close, true);
    };
  }, [onClose]);
  return (
    <div
      ref={box}
      className="packet-menu"
      onPointerDown={event => event.stopPropagation()}
      onPointerMove={event => event.stopPropagation()}
    >
      {children}
    </div>
  );
}

const GAP_PX = 10;
