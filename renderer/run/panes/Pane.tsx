import './panes.css';
import {type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState} from 'react';
import type {Page} from '../../../app/page/page.ts';
import type {Pane as PaneSettings} from '../../../app/pipelines/index.ts';
import {titleOf} from '../../../app/pipelines/paneLabels.ts';
import type {LivePath} from '../../../app/pipelines/setting.ts';
import {causeOf, objectsConcerned} from '../../../app/run/cause/cause.ts';
import {type CauseMark, causeMarksAt} from '../../../app/run/cause/causeMarks.ts';
import {heldAt, heldTexts} from '../../../app/run/cause/held.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {isDimmed} from '../../session/hovered.ts';
import {Blocks, type BlocksProps} from './Blocks.tsx';
import {type Decode, decodePrefix} from './decodePicture.ts';
import {PaneHeader} from './PaneHeader.tsx';
import {readBoxes, THUMBNAIL_PAGE_WIDTH} from './pageBoxes.ts';
import {
  bestFit,
  type Fit,
  furthestReadEnd,
  isRibbon,
  PAGE_WIDTHS,
  PANE_PAGE_WIDTHS,
  type PageLayout,
  type Size,
  scrollTop,
} from './pageFit.ts';
import {PageView} from './pageView.ts';
import {isSynthetic} from './synthetic.ts';
import {type Box, WaitingLayer} from './waitingLayer.ts';

interface PaneProps extends Omit<BlocksProps, 'cause'> {
  /** The packet of this pane whose loss is explained; null for none. */
  readonly lost: number | null;
  readonly page: Page;
  readonly pane: PaneSettings;
  /** Short words for what distinguishes this pane from the others (`distinguishingWords` in session/sources.ts). */
  readonly differences: readonly string[];
  /** The pane's title for screen readers, which distinguishes it from the other panes. */
  readonly title?: string | undefined;
  readonly live?: LivePath | undefined;
  readonly areLossesUnknown?: boolean;
  /** The measured quality of the page's pictures. Null until they are measured, or if they cannot be measured. */
  readonly eye: Eye | null;
  /** How many objects are measured so far, and how many will be; null if nothing is being measured. */
  readonly progress: {readonly done: number; readonly all: number} | null;
  /** How pictures are decoded. The default is the fastest way. */
  readonly decode?: Decode;
  /**
   * Whether a long page scrolls to the point that a reader could have reached (the default). Otherwise it stays at the
   * top.
   */
  readonly isScrolled?: boolean;
  /** The page fills at least this share of the pane's width, 0 to 1. By default there is no such limit. */
  readonly leastPageShare?: number;
  /**
   * The traces of all panes that show this page. If the window is too low for the whole page, these panes show the same
   * part of it. By default the list is empty, and this pane scrolls independently of the others. Pages that are much
   * higher than wide are always scrolled independently.
   */
  readonly together?: readonly Trace[];
}

/**
 * Shows one pane: the page at t, under a header with the pipeline and its settings. While a loss is explained, the
 * objects that it affected are marked with its effect. They are also highlighted, unless the pointer highlights other
 * objects.
 */
export function Pane({lost, ...shared}: PaneProps) {
  const {trace, page, pane, title = titleOf(pane), hovered} = shared;
  const cause = useMemo(() => (lost === null ? null : (causeOf(trace, lost) ?? null)), [trace, lost]);
  const concerned = useMemo(() => new Set(cause === null ? [] : objectsConcerned(cause)), [cause]);
  const props = {...shared, title, cause, hovered: hovered.size > 0 ? hovered : concerned};
  return (
    <section className="pane" aria-label={title}>
      <PaneHeader {...props} />
      {/* a new page gets a new frame, so that nothing of the previous page remains */}
      {isSynthetic(page) ? <Blocks {...props} /> : <PageFrame key={keyOf(page)} {...props} />}
    </section>
  );
}

function PageFrame(props: Omit<PaneProps, 'lost'> & Pick<BlocksProps, 'cause'>) {
  const {
    trace,
    page,
    title,
    player,
    theme,
    hovered,
    selected,
    cause,
    decode = decodePrefix,
    isScrolled: isFollowing = true,
    leastPageShare,
    together = NONE,
    showsWaiting = false,
  } = props;
  const {onHover, onSelect} = props;
  const holder = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [view, setView] = useState<PageView | null>(null);
  const [layouts, setLayouts] = useState<readonly PageLayout[]>([NOT_MEASURED]);
  const room = useRoom(holder, leastPageShare !== undefined);
  const fit = useMemo(() => bestFit(layouts, room, leastPageShare), [layouts, room, leastPageShare]);
  const {layout, scale, shownHeight} = fit;
  const {width, height} = layout;
  const part = useRef<HTMLDivElement>(null);
  const marks = useRef<HTMLDivElement>(null);
  const waiting = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLSpanElement>(null);
  const why = useRef<HTMLSpanElement>(null);
  const [layer, setLayer] = useState<WaitingLayer | null>(null);

  // the view is created once for the page of this frame; a new run only shows other bytes of the same page
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run must not create the view again
  useLayoutEffect(() => {
    const element = frame.current;
    const inside = element?.contentDocument;
    if (element == null || inside == null) return;
    const made = new PageView(inside, page, trace, decode);
    // the window also shows the page as thumbnails, which need the positions of its pictures and texts
    const isInWindow = leastPageShare !== undefined;
    setLayouts(
      isInWindow
        ? made.measure(element, PANE_PAGE_WIDTHS, readForThumbnails(page))
        : made.measure(element, PAGE_WIDTHS),
    );
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

  useLayoutEffect(() => {
    if (!showsWaiting || waiting.current === null) return;
    const made = new WaitingLayer(waiting.current, page, decode);
    setLayer(made);
    return () => {
      setLayer(null);
      made.release();
    };
  }, [page, decode, showsWaiting]);

  useEffect(() => {
    if (view === null) return;
    view.setTrace(trace);
    return player.onTime(async tNs => {
      const held = layer === null ? null : heldAt(trace, tNs);
      await Promise.all([view.show(tNs), held === null ? undefined : layer?.decode(held)]);
      const element = frame.current;
      if (element === null || player.tNs !== tNs) return;
      // pictures without a size in the HTML increase the page's height when they are shown
      element.style.height = `${height}px`;
      const grown = {...fit, layout: {...layout, height: Math.max(height, view.height())}};
      const isScrolled = shownHeight < grown.layout.height;
      if (isScrolled) element.style.height = `${grown.layout.height}px`;
      const isAlone = together.length < 2 || isRibbon(layout);
      const readEnd = () => (isAlone ? view.readEndAt(tNs) : furthestReadEnd(grown.layout, together, tNs));
      const top = isScrolled && isFollowing ? scrollTop(grown, readEnd() + BELOW_READ_PX) : 0;
      element.style.translate = `0 ${-Math.round(top * scale)}px`;
      const isPart = isScrolled && !(leastPageShare !== undefined && shownHeight > NEARLY_ALL * grown.layout.height);
      if (part.current !== null) part.current.textContent = isPart ? partText(grown, top) : '';
      const placeOf = (object: number): Box | undefined => {
        const box = view.boxOf(object);
        if (box === undefined) return undefined;
        const {left, width, height} = box;
        return {left: left * scale, top: (box.top - top) * scale, width: width * scale, height: height * scale};
      };
      const size = {width: width * scale, height: shownHeight * scale};
      if (layer !== null && held !== null) {
        layer.place(held, {placeOf, size, isMoving: player.state.isPlaying});
        const [what, behind] = heldTexts(trace, held);
        if (words.current !== null) words.current.textContent = what;
        if (why.current !== null) why.current.textContent = behind;
      }
      if (marks.current !== null)
        showMarks(marks.current, cause === null ? [] : causeMarksAt(trace, cause, tNs), placeOf);
    });
  }, [
    view,
    trace,
    player,
    fit,
    layout,
    scale,
    shownHeight,
    width,
    height,
    cause,
    isFollowing,
    layer,
    leastPageShare,
    together,
  ]);

  const objectUnder = (event: MouseEvent): number | null => {
    // the frame's position includes the scrolling
    const area = frame.current?.getBoundingClientRect();
    if (view === null || area === undefined) return null;
    return view.objectAt((event.clientX - area.left) / scale, (event.clientY - area.top) / scale);
  };
  const hover = (object: number | null): void => onHover(object === null ? [] : [object]);
  return (
    <>
      <div className="pane-page" ref={holder}>
        <div className="pane-paper" style={{width: width * scale, height: shownHeight * scale}}>
          <iframe
            ref={frame}
            title={`${page.name}, ${title}`}
            sandbox="allow-same-origin"
            tabIndex={-1}
            inert
            scrolling="no"
            style={{width, height, transform: `scale(${scale})`}}
          />
          {showsWaiting && <div className="pane-waiting" ref={waiting} />}
          <div className="pane-causes" ref={marks} />
          {/* covers the frame, so that links cannot be clicked and the pointer finds objects */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the timeline and its table offer the same by keyboard */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the same reason */}
          <div
            className="pane-glass"
            onMouseMove={event => hover(objectUnder(event))}
            onMouseLeave={() => hover(null)}
            onClick={event => onSelect(objectUnder(event))}
          />
        </div>
        <div className="pane-part" ref={part} />
      </div>
      {showsWaiting && (
        <p className="pane-waiting-text">
          <span ref={words} />
          <span className="pane-waiting-why" ref={why} />
        </p>
      )}
    </>
  );
}

/**
 * Returns a function that remembers the positions of the page's pictures and texts for thumbnails. It must be called
 * for rising widths. The positions at the largest width that is not above {@link THUMBNAIL_PAGE_WIDTH} remain.
 */
function readForThumbnails(page: Page): (width: number, view: PageView) => void {
  return (width, view) => {
    const {document, objects} = view.content;
    if (width <= THUMBNAIL_PAGE_WIDTH) readBoxes(page, document, width, objects, object => view.boxOf(object));
  };
}

const keys = new WeakMap<Page, number>();
let lastKey = 0;

/** A key for each page. The name is not enough, because two pages may have the same name. */
function keyOf(page: Page): number {
  const key = keys.get(page) ?? ++lastKey;
  keys.set(page, key);
  return key;
}

/** The text that says which part of the page is visible. */
function partText({layout, shownHeight}: Fit, top: number): string {
  const [from, to] = [top, top + shownHeight].map(y => ((100 * y) / layout.height).toFixed(0));
  return `shows ${from}–${to} % of the height`;
}

/** If a pane of the window shows more than this share of the page's height, it does not say which part it shows. */
const NEARLY_ALL = 0.9;

/** The visible part of a scrolled page ends half a line below the point that a reader could have reached, CSS px. */
const BELOW_READ_PX = 12;

const NONE: readonly Trace[] = [];

const NOT_MEASURED: PageLayout = {width: 800, height: 600, filledWidth: 800};

/**
 * The size of the element's content box, CSS px. Chromium rounds the widths of equal elements up or down, depending on
 * their places; with `isAlike`, elements of the same width have the same room, so that their pages have the same size.
 */
function useRoom(holder: {readonly current: HTMLElement | null}, isAlike: boolean): Size {
  const [room, setRoom] = useState<Size>(NOT_MEASURED);
  useLayoutEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const measure = () => {
      const {width, height} = element.getBoundingClientRect();
      setRoom(
        isAlike
          ? {width: Math.floor(width + 0.1), height: Math.floor(height + 0.1)}
          : {width: element.clientWidth, height: element.clientHeight},
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder, isAlike]);
  return room;
}

/** Writes at the box of each object how a loss affects the object. Objects without a box are left out. */
function showMarks(
  holder: HTMLElement,
  marks: readonly CauseMark[],
  placeOf: (object: number) => Box | undefined,
): void {
  const labels = marks.flatMap(({object, text}) => {
    const place = placeOf(object);
    if (place === undefined) return [];
    const label = document.createElement('span');
    label.className = 'pane-cause';
    label.textContent = text;
    label.dataset['cause'] = String(object);
    label.style.translate = `${place.left}px ${place.top}px`;
    label.style.maxWidth = `${place.width}px`;
    return [label];
  });
  holder.replaceChildren(...labels);
}
