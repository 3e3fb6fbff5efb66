import {type MouseEvent, useEffect, useLayoutEffect, useRef, useState} from 'react';
import type {Page} from '../../app/page/page.ts';
import type {Pane as PaneSettings} from '../../app/scenario/pane.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../hovered.ts';
import {objectColour, type Theme} from '../objectColours.ts';
import type {Player} from '../player.ts';
import {Blocks, hasNoLook} from './Blocks.tsx';
import {Details} from './Details.tsx';
import {PaneHeader} from './PaneHeader.tsx';
import {PageView} from './pageView.ts';
import './panes.css';

export interface PaneProps {
  readonly trace: Trace;
  readonly page: Page;
  readonly pane: PaneSettings;
  readonly player: Player;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  readonly onHover: (objects: readonly number[]) => void;
  readonly onSelect: (object: number | null) => void;
}

/** One way to load the page: the page as it is at t, under a header that says how. */
export function Pane(props: PaneProps) {
  const {trace, page, pane, player, selected, onSelect} = props;
  return (
    <section className="pane" aria-label={`${pane.pipeline} pane`}>
      <PaneHeader trace={trace} pane={pane} player={player} />
      {hasNoLook(page) ? <Blocks {...props} /> : <PageFrame {...props} />}
      {selected !== null && (
        <Details trace={trace} object={selected} player={player} onClose={() => onSelect(null)} />
      )}
    </section>
  );
}

function PageFrame({trace, page, player, theme, hovered, selected, onHover, onSelect}: PaneProps) {
  const holder = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [view, setView] = useState<PageView | null>(null);
  const [height, setHeight] = useState(PAGE_HEIGHT);
  const scale = useScale(holder, height);

  // the frame's page is made once per page; a new run of it only shows other bytes
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(() => {
    const inside = frame.current?.contentDocument;
    if (inside == null) return;
    const made = new PageView(inside, page, trace, () => '');
    setHeight(made.measureHeight());
    setView(made);
    return () => made.release();
  }, [page]);

  useEffect(() => {
    view?.setOutline(object => {
      const isMarked = hovered.has(object) || object === selected;
      const colour = objectColour(object, theme);
      return `${isMarked ? 6 : 3}px solid ${!isMarked && isDimmed(hovered, object) ? `${colour}40` : colour}`;
    });
  }, [view, theme, hovered, selected]);

  useEffect(() => {
    if (view === null) return;
    view.setTrace(trace);
    return player.onTime(tNs => view.show(tNs));
  }, [view, trace, player]);

  const objectUnder = (event: MouseEvent): number | null => {
    const area = event.currentTarget.getBoundingClientRect();
    return view?.objectAt((event.clientX - area.left) / scale, (event.clientY - area.top) / scale) ?? null;
  };
  const hover = (object: number | null): void => onHover(object === null ? [] : [object]);
  return (
    <div className="pane-page" ref={holder}>
      <div className="pane-paper" style={{width: PAGE_WIDTH * scale, height: height * scale}}>
        <iframe
          ref={frame}
          title={page.name}
          sandbox="allow-same-origin"
          tabIndex={-1}
          inert
          style={{width: PAGE_WIDTH, height, transform: `scale(${scale})`}}
        />
        {/* in front of the frame: its links lead nowhere, its objects can be pointed at */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the timeline and its table do it by keyboard */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        <div
          className="pane-glass"
          onMouseMove={event => hover(objectUnder(event))}
          onMouseLeave={() => hover(null)}
          onClick={event => onSelect(objectUnder(event))}
        />
      </div>
    </div>
  );
}

/** The page is laid out at this width, and shown as large as fits, CSS px. */
const PAGE_WIDTH = 800;
const PAGE_HEIGHT = 600;

/** How large the page can be shown in its holder, at most as it is. */
function useScale(holder: {readonly current: HTMLElement | null}, height: number): number {
  const [scale, setScale] = useState(0.5);
  useLayoutEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const resize = () => {
      const {clientWidth, clientHeight} = element;
      setScale(Math.max(0.1, Math.min(clientWidth / PAGE_WIDTH, clientHeight / height, LARGEST_SCALE)));
    };
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder, height]);
  return scale;
}

/** For projectors of 3840 px. */
const LARGEST_SCALE = 3;
