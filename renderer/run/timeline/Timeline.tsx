import {
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type {PaneLoss} from '../../../app/run/cause/losses.ts';
import {type PanePacket, packetOfObject} from '../../../app/run/packets/panePacket.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {PathCapacity} from '../../../app/run/scenario/capacity.ts';
import type {Caption} from '../../../app/telling/movie/captions.ts';
import type {Axis, TimelineName} from '../../../app/telling/movie/options.ts';
import {Icon} from '../../kit/Icon.tsx';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {useSize} from '../../kit/useSize.ts';
import type {Hovered} from '../../session/hovered.ts';
import type {Player} from '../../session/player.ts';
import {panned, type TimeWindow, wholeRun, zoomed} from '../../session/zoom.ts';
import type {Point} from './drawing.ts';
import {drawTimeline} from './drawTimeline.ts';
import {explainedLoss, lossObjects} from './explainedLoss.ts';
import {hitAt} from './folded.ts';
import {timeScale} from './measures.ts';
import type {Hit, Layout, Plot, TimelineModel, TimelinePane} from './model.ts';
import {nameY} from './names.ts';
import {PacketMenu} from './PacketMenu.tsx';
import {PALETTES} from './palette.ts';
import {allPlots, columnAt, cursorAt, cursorPart} from './plots.ts';
import {setShownTimeline} from './shownTimeline.ts';
import {tipPlace, tipText} from './tip.ts';
import {viewOf} from './viewOf.ts';
import './timeline.css';

export interface TimelineProps {
  readonly panes: readonly TimelinePane[];
  readonly player: Player;
  readonly view: TimelineName;
  readonly axis: Axis;
  /** The measured quality of the page's pictures; null until it is measured. */
  readonly eye: Eye | null;
  readonly layout: Layout;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  readonly onHover: (objects: readonly number[]) => void;
  readonly onSelect: (object: number | null) => void;
  /** The loss that is explained unless the pointer is on another loss; null for none. */
  readonly chosenLoss: PaneLoss | null;
  readonly onChooseLoss: (loss: PaneLoss) => void;
  /** The packet that the packet panel shows; null for none. */
  readonly chosenPacket: PanePacket | null;
  readonly onChoosePacket: (packet: PanePacket) => void;
  /** What a small menu offers for a packet that was clicked. Without it, there is no menu, as in movies. */
  readonly renderMenu?: (packet: PanePacket, close: () => void) => ReactNode;
  /** The part of the run that is shown; null for the whole run. */
  readonly zoom: TimeWindow | null;
  readonly onZoom: (zoom: TimeWindow | null) => void;
  /** The changes of the path, each with its time and its text. */
  readonly changes: readonly Caption[];
  /** The rate of the path over time; null if it is constant or not known. */
  readonly capacity?: PathCapacity | null;
  /** Whether the picture shows only what happened until t. */
  readonly isUpToT: boolean;
  /** The time axis extends at least up to this time, ns. */
  readonly leastEndNs?: number;
  /** The least height of a graph, CSS px: {@link TimelineModel.leastPlotPx}. */
  readonly leastPlotPx?: number;
  /** Folds or unfolds the graph of a pane. Without it, there are no buttons for that. */
  readonly onFold?: (pane: number) => void;
}

/** Draws the run over time on a canvas. The cursor at t and the tooltip are elements above the canvas. */
export function Timeline(props: TimelineProps) {
  const {panes, player, theme, hovered, onHover, onSelect, onZoom} = props;
  const area = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const {width, height, fontPx} = useSize(area);
  const endNs = Math.max(props.leastEndNs ?? 0, ...panes.map(({trace}) => trace.data.endNs));
  const [menu, setMenu] = useState<{readonly packet: PanePacket; readonly at: Point} | null>(null);
  const closeMenu = useCallback(() => setMenu(null), []);
  const [tip, setTip] = useState<{readonly hit: Hit; readonly at: Point} | null>(null);
  const [failure, setFailure] = useState<{readonly thrown: unknown} | null>(null);
  // an error boundary catches only what is thrown while React works, and the picture is drawn afterwards
  if (failure !== null) throw failure.thrown;
  const [fromNs, toNs] = props.zoom ?? wholeRun(endNs);
  const {layout, axis, eye, selected, changes, capacity, chosenLoss, chosenPacket, isUpToT, leastPlotPx, onFold} =
    props;
  const view = viewOf(props.view);
  const explained = useMemo(() => {
    if (tip?.hit.kind === 'loss') return explainedLoss(tip.hit.trace, tip.hit.packet);
    return chosenLoss === null ? null : explainedLoss(panes[chosenLoss.pane]?.trace, chosenLoss.packet);
  }, [tip?.hit, chosenLoss, panes]);
  const openedPacket = useMemo(() => {
    const trace = panes[chosenPacket?.pane ?? -1]?.trace;
    return trace === undefined || chosenPacket === null ? null : {trace, packet: chosenPacket.packet};
  }, [chosenPacket, panes]);
  const model: TimelineModel = useMemo(
    () => ({
      panes,
      view,
      axis,
      eye,
      layout,
      theme,
      hovered,
      selected,
      explained,
      openedPacket,
      changes,
      ...(capacity === undefined ? {} : {capacity}),
      width,
      height,
      fontPx,
      fromNs,
      toNs,
      ...(leastPlotPx === undefined ? {} : {leastPlotPx}),
    }),
    [
      panes,
      view,
      axis,
      eye,
      layout,
      theme,
      hovered,
      selected,
      explained,
      openedPacket,
      changes,
      capacity,
      width,
      height,
      fontPx,
      fromNs,
      toNs,
      leastPlotPx,
    ],
  );

  useLayoutEffect(() => setShownTimeline(area.current, {model, isUpToT}), [model, isUpToT]);

  useLayoutEffect(() => {
    const canvas = picture.current;
    const context = canvas?.getContext('2d');
    if (canvas == null || context == null) return;
    const ratio = window.devicePixelRatio;
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width === pixelWidth && canvas.height === pixelHeight) context.reset();
    else {
      // this resets the context, too, but the browser then allocates new memory for the pixels
      canvas.width = pixelWidth;
      canvas.height = pixelHeight;
    }
    context.scale(ratio, ratio);
    if (!isUpToT)
      return afterCommit(
        () => drawTimeline(context, model),
        thrown => setFailure({thrown}),
      );
    return player.onTime(tNs => {
      context.clearRect(0, 0, width, height);
      drawTimeline(context, {...model, revealNs: tNs});
      // a recording does not notice that a canvas's pixels change, but it notices that this attribute changes
      canvas.dataset['until'] = String(tNs);
    });
  }, [model, width, height, isUpToT, player]);

  const plots = useMemo(() => allPlots(model), [model]);
  const x = plots[0]?.x;
  /** The time at an x position, ns. Each column has its own axis for the same run. */
  const timeAt = (at: number) => timeScale(columnAt(model, at)).invert(at);
  useEffect(
    () =>
      player.onTime(tNs => {
        const line = cursor.current;
        if (line === null || x === undefined) return;
        const at = cursorAt(x, tNs);
        line.style.transform = `translateX(${wholePx(at.x)}px)`;
        line.style.visibility = at.isInSight ? 'visible' : 'hidden';
        line.dataset['x'] = String(at.x);
        const seconds = (tNs / 1e9).toFixed(2);
        line.setAttribute('aria-valuenow', seconds);
        line.setAttribute('aria-valuetext', `${seconds} s`);
      }),
    [player, x],
  );

  const pointOf = (event: Pick<globalThis.MouseEvent, 'clientX' | 'clientY'>) => {
    const box = area.current?.getBoundingClientRect();
    return {x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0)};
  };
  /** What is drawn at a point. While the picture shows the run only up to t, nothing is found after t. */
  const hitNow = (at: Point) => hitAt(isUpToT ? {...model, revealNs: player.tNs} : model, at);
  /** Whether the button was pressed on a loss or a packet. If so, dragging does not seek until it is released. */
  const isChoosing = useRef(false);
  const choose = (hit: Hit | undefined): boolean => {
    if (hit?.kind !== 'loss' && hit?.kind !== 'mark' && hit?.kind !== 'packet') return false;
    const pane = panes.findIndex(({trace}) => trace === hit.trace);
    if (pane < 0) return false;
    if (hit.kind === 'loss') props.onChooseLoss({pane, packet: hit.packet});
    if (hit.kind !== 'loss' || view.hasPackets === true) props.onChoosePacket({pane, packet: hit.packet});
    return true;
  };
  /**
   * Opens the menu for the packet under the pointer. On a bar of the view `why`, this is the lost packet that caused
   * this part of the bar. If there is no such packet, or if the pointer is on an object's line in the percent view, the
   * menu is for a packet that carried data of this object: the one that is nearest in time. Returns whether the menu
   * was opened.
   */
  const openMenu = (hit: Hit | undefined, at: Point): boolean => {
    const pane = panes.findIndex(({trace}) => hit !== undefined && 'trace' in hit && trace === hit.trace);
    const trace = panes[pane]?.trace;
    if (hit === undefined || trace === undefined || hit.kind === 'sender' || hit.kind === 'queue') return false;
    const lost = hit.kind === 'cause' ? hit.span.packet : hit.kind === 'object' ? undefined : hit.packet;
    const packet = lost ?? ('object' in hit ? packetOfObject(trace, hit.object, timeAt(at.x)) : null);
    if (packet === null || props.renderMenu === undefined) return false;
    setTip(null);
    setMenu({packet: {pane, packet}, at});
    return true;
  };
  const seekTo = (event: PointerEvent) => {
    player.pause();
    void player.seek(timeAt(pointOf(event).x));
  };
  const point = (event: PointerEvent) => {
    if (event.buttons === 1) return isChoosing.current ? undefined : seekTo(event);
    // in presenter mode a resting pointer is hidden, and must not highlight what moves under it
    if (document.documentElement.dataset['summoned'] === 'nothing') return;
    const at = pointOf(event);
    const hit = hitNow(at);
    onHover(
      hit === undefined
        ? []
        : hit.kind === 'object' || hit.kind === 'packet' || hit.kind === 'cause'
          ? [hit.object]
          : hit.kind === 'loss'
            ? lossObjects(hit.trace, hit.packet, isUpToT ? player.tNs : Number.POSITIVE_INFINITY)
            : [],
    );
    setTip(hit === undefined ? null : {hit, at});
  };
  useWheel(area, event => {
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isPan) onZoom(panned([fromNs, toNs], (event.deltaX || event.deltaY) / width, endNs));
    else onZoom(zoomed([fromNs, toNs], Math.exp(event.deltaY / 400), timeAt(pointOf(event).x), endNs));
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the scrubber and the keys do the same
    <div
      className="timeline"
      ref={area}
      onPointerDown={event => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const hit = hitNow(pointOf(event));
        isChoosing.current = choose(hit);
        if (!isChoosing.current) seekTo(event);
        else if (view.hasPackets === true) openMenu(hit, pointOf(event));
      }}
      onContextMenu={event => {
        if (openMenu(hitNow(pointOf(event)), pointOf(event))) event.preventDefault();
      }}
      onPointerMove={point}
      onPointerLeave={() => {
        onHover([]);
        setTip(null);
      }}
      onDoubleClick={() => onZoom(null)}
    >
      <canvas ref={picture} style={{width, height}} aria-label={summary(props)} role="img" />
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> element cannot contain the cursor's lines in the graphs */}
      <div
        ref={cursor}
        className="timeline-cursor"
        role="meter"
        aria-label="t"
        aria-valuemin={0}
        aria-valuemax={endNs / 1e9}
        aria-valuenow={0}
        style={{color: PALETTES[theme].text}}
      >
        {plots.map(cursorPart).map(({x, y, height}) => (
          // the cursor element is at t in the first column; its parts in other columns are offset from there
          <span key={`${x} ${y}`} style={{translate: `${Math.round(x - (plots[0]?.box.x ?? 0))}px`, top: y, height}} />
        ))}
      </div>
      {menu !== null && (
        <PacketMenu at={menu.at} onClose={closeMenu}>
          {props.renderMenu?.(menu.packet, closeMenu)}
        </PacketMenu>
      )}
      {tip !== null && menu === null && (
        <Tip model={isUpToT ? {...model, revealNs: player.tNs} : model} tNs={timeAt(tip.at.x)} {...tip} />
      )}
      {onFold !== undefined &&
        plots.map((plot, graph) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a graph is identified by its position
          <FoldButton key={graph} model={model} plot={plot} onFold={onFold} />
        ))}
      {selected !== null && (
        <button type="button" className="timeline-clear quiet" title="clear selection" onClick={() => onSelect(null)}>
          clear
        </button>
      )}
    </div>
  );
}

interface TipProps {
  readonly model: TimelineModel;
  readonly hit: Hit;
  /** The time at the pointer. */
  readonly tNs: number;
  /** The position of the pointer, CSS px of the timeline. */
  readonly at: Point;
}

/** The tooltip about what is under the pointer. It is positioned after its layout, because its size is needed. */
function Tip({model, hit, tNs, at}: TipProps) {
  const {hovered, theme} = model;
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = tip.current;
    if (element === null) return;
    const {x, y} = tipPlace(model, hit, at, {width: element.offsetWidth, height: element.offsetHeight});
    element.style.translate = `${x}px ${y}px`;
  }, [model, hit, at]);
  return (
    <div ref={tip} className="timeline-tip" role="tooltip">
      {Array.from(hovered, object => (
        <span key={object} style={{color: objectColour(object, theme)}}>
          ■{' '}
        </span>
      ))}
      {tipText(model, hit, tNs)}
    </div>
  );
}

interface FoldButtonProps {
  readonly model: TimelineModel;
  readonly plot: Plot;
  readonly onFold: (pane: number) => void;
}

/**
 * The button at a graph's title. It folds the graph to a strip, or unfolds it. A graph with several panes has no such
 * button, and neither has the graph of a view with a row for each pane.
 */
function FoldButton({model, plot, onFold}: FoldButtonProps) {
  const [pane, ...others] = plot.panes;
  if (pane === undefined || others.length > 0 || model.view.apartBy === 'own rows') return null;
  const left = columnAt(model, plot.box.x).leftPx ?? 0;
  return (
    <button
      type="button"
      className="timeline-fold quiet"
      aria-expanded={plot.isFolded !== true}
      aria-label={`graph of ${pane.label}`}
      title={plot.isFolded ? 'unfold (H: all)' : 'fold to a strip (H: all)'}
      style={{translate: `${left}px calc(${nameY(model, plot, 0)}px - 50%)`}}
      // without this, the press would also reach the timeline behind the button, and move t
      onPointerDown={event => event.stopPropagation()}
      onDoubleClick={event => event.stopPropagation()}
      onClick={() => onFold(model.panes.indexOf(pane))}
    >
      <Icon name="fold" />
    </button>
  );
}

/** Rounds to whole pixels of the screen. Between pixels, Chromium's result depends on what it painted before. */
function wholePx(x: number): number {
  return Math.round(x * window.devicePixelRatio) / window.devicePixelRatio;
}

function summary({panes}: TimelineProps): string {
  return panes
    .map(({label, trace}) => `${label}: ${trace.data.outcome} at ${(trace.data.endNs / 1e9).toFixed(1)} s`)
    .join('; ');
}

/** Listens to the wheel. React's own wheel listeners are passive and cannot prevent that the page scrolls. */
function useWheel(area: {readonly current: HTMLElement | null}, onWheel: (event: WheelEvent) => void): void {
  const latest = useRef(onWheel);
  latest.current = onWheel;
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const listen = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event);
    };
    element.addEventListener('wheel', listen, {passive: false});
    return () => element.removeEventListener('wheel', listen);
  }, [area]);
}

/**
 * Calls `act` when React has made all changes to the document, but before the next frame. When text is drawn on a
 * canvas, the browser computes the layout of the document. After each later change it would compute the layout again.
 * What `act` throws is passed to `onError`.
 * @returns a function that cancels the call
 */
function afterCommit(act: () => void, onError: (thrown: unknown) => void): () => void {
  let isWanted = true;
  queueMicrotask(() => {
    if (!isWanted) return;
    try {
      act();
    } catch (thrown) {
      onError(thrown);
    }
  });
  return () => {
    isWanted = false;
  };
}
