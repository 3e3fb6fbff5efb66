import {type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState} from 'react';
import type {Page} from '../../app/page/page.ts';
import type {Pane as PaneSettings} from '../../app/scenario/pane.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../hovered.ts';
import {objectColour, type Theme} from '../objectColours.ts';
import type {Player} from '../player.ts';
import {Blocks, hasNoLook} from './Blocks.tsx';
import {Details} from './Details.tsx';
import {PaneHeader} from './PaneHeader.tsx';
import {bestFit, PAGE_WIDTHS, type PageLayout, type Size} from './pageFit.ts';
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
  const [layouts, setLayouts] = useState<readonly PageLayout[]>([NOT_MEASURED]);
  const room = useRoom(holder);
  const {layout, scale} = useMemo(() => bestFit(layouts, room), [layouts, room]);
  const {width, height} = layout;

  // the frame's page is made once per page; a new run of it only shows other bytes
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(() => {
    const element = frame.current;
    const inside = element?.contentDocument;
    if (element == null || inside == null) return;
    const made = new PageView(inside, page, trace, () => '');
    setLayouts(made.measure(element, PAGE_WIDTHS));
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
      <div className="pane-paper" style={{width: width * scale, height: height * scale}}>
        <iframe
          ref={frame}
          title={page.name}
          sandbox="allow-same-origin"
          tabIndex={-1}
          inert
          style={{width, height, transform: `scale(${scale})`}}
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

const NOT_MEASURED: PageLayout = {width: 800, height: 600, filledWidth: 800};

/** The element's inside, CSS px. */
function useRoom(holder: {readonly current: HTMLElement | null}): Size {
  const [room, setRoom] = useState<Size>(NOT_MEASURED);
  useLayoutEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const measure = () => setRoom({width: element.clientWidth, height: element.clientHeight});
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder]);
  return room;
}
