import {type KeyboardEvent, type PointerEvent, useRef} from 'react';
import {useSession, useSessionState} from '../session/context.tsx';

/** The heights of the panes and of the timeline, and the least height of each, CSS px. */
export interface SplitHeights {
  readonly panesPx: number;
  readonly timelinePx: number;
  readonly leastPanesPx: number;
  readonly leastTimelinePx: number;
}

/**
 * The panes' share of the common height after their lower edge is moved by `byPx`. Panes and timeline keep their least
 * heights.
 */
export function movedShare(heights: SplitHeights, byPx: number): number {
  const {panesPx, timelinePx, leastPanesPx, leastTimelinePx} = heights;
  const allPx = panesPx + timelinePx;
  const mostPx = Math.max(allPx - leastTimelinePx, leastPanesPx);
  return Math.min(Math.max(panesPx + byPx, leastPanesPx), mostPx) / Math.max(allPx, 1);
}

/**
 * The bar between the panes and the timeline. It is dragged, or moved with the arrow keys; a double click or Enter
 * gives both their usual heights.
 */
export function Splitter({heights}: {readonly heights: () => SplitHeights}) {
  const {display} = useSession();
  const share = useSessionState(state => state.view.paneShare);
  /** Where the pointer was when it was pressed, and the heights then; null if it is not pressed. */
  const pressed = useRef<{readonly y: number; readonly heights: SplitHeights} | null>(null);
  const set = (paneShare: number | null) => display.set({paneShare});
  const press = (event: KeyboardEvent) => {
    const now = heights();
    const byPx = {ArrowUp: -STEP_PX, ArrowDown: STEP_PX, Home: -1e6, End: 1e6}[event.key];
    if (byPx === undefined && event.key !== 'Enter') return;
    // otherwise Home and End would also move t, the time that the panes show
    event.stopPropagation();
    event.preventDefault();
    set(byPx === undefined ? null : movedShare(now, byPx));
  };
  const drag = ({clientY}: PointerEvent) => {
    if (pressed.current !== null) set(movedShare(pressed.current.heights, clientY - pressed.current.y));
  };
  const release = () => {
    pressed.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      className="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="between the panes and the timeline"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * (share ?? 0.5))}
      aria-valuetext={share === null ? 'usual heights' : `${Math.round(100 * share)} % for the panes`}
      title="drag, or press ↑ or ↓, to give the panes or the timeline more height; a double click resets"
      onKeyDown={press}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pressed.current = {y: event.clientY, heights: heights()};
      }}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={release}
      onDoubleClick={() => set(null)}
    />
  );
}

const STEP_PX = 16;
