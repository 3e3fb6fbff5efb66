import {type CSSProperties, Fragment, type MouseEvent, useEffect, useMemo, useRef, useSyncExternalStore} from 'react';
import type {Page} from '../../../app/page/page.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import type {Slices} from '../../kit/slices.ts';
import {useSize} from '../../kit/useSize.ts';
import {windowSlices} from '../../kit/windowSlices.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {namesOf, pageOfPane} from '../../session/sources.ts';
import {boxesOf} from '../panes/pageBoxes.ts';
import {isSynthetic} from '../panes/synthetic.ts';
import {PALETTES} from '../timeline/palette.ts';
import {drawBars, drawThumbnail, fitThumbnail, type Slot} from './drawThumbnail.ts';
import {smallPicturesOf} from './smallPictures.ts';
import {GAP_PX, type Strip, stripOf, TIMES, timeOf} from './strip.ts';
import './thumbnails.css';

interface ThumbnailsProps {
  readonly run: ShownRun;
  readonly endNs: number;
  readonly player: Player;
  readonly theme: Theme;
}

/**
 * Small pictures of the pages at ten times of the run, below the scrubber: a row for each pane, or for the first and
 * the last pane if the window is low. The name of its pane is beside each row. Each picture shows its page at the time
 * of its right edge; a click goes to that time. The rows are drawn while the window is idle, and are pale until they
 * show the run on screen.
 */
export function Thumbnails({run, endNs, player, theme}: ThumbnailsProps) {
  const area = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const {width} = useSize(track);
  const windowHeight = useSyncExternalStore(onResize, () => window.innerHeight);
  const count = run.traces.length;
  const strip = useMemo(() => stripOf(count, {width, windowHeight}), [count, width, windowHeight]);
  const names = useMemo(() => namesOf(run), [run]);
  useEffect(() => {
    const rows = area.current;
    if (rows === null) return;
    const canvases = Array.from(rows.querySelectorAll('canvas'));
    const signal = {isOver: false};
    // while a slider moves, runs follow each other, and nothing of the strip may change
    if (rows.dataset['state'] !== 'old') rows.dataset['state'] = 'old';
    void drawRows(run, endNs, strip, canvases, width, theme, signal, windowSlices).then(() => {
      if (!signal.isOver) rows.dataset['state'] = 'drawn';
    });
    return () => {
      signal.isOver = true;
    };
  }, [run, endNs, strip, width, theme]);
  useEffect(
    () =>
      player.onTime(tNs => {
        if (cursor.current !== null) cursor.current.style.left = `${(100 * tNs) / Math.max(player.state.endNs, 1)}%`;
      }),
    [player],
  );
  const seek = (event: MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const slot = Math.floor((TIMES * (event.clientX - box.left)) / box.width);
    player.pause();
    void player.seek(timeOf(Math.min(Math.max(slot, 0), TIMES - 1), endNs));
  };
  return (
    <div ref={area} className="thumbnails" style={{'--row': `${strip.rowPx}px`} as CSSProperties}>
      {strip.panes.map(pane => (
        <Fragment key={pane}>
          {/* the picture has the name for screen readers */}
          <span className="thumbnails-name" aria-hidden="true" title={`pane ${pane + 1} of ${count}`}>
            {names[pane]}
            {strip.panes.length < count && <span className="thumbnails-place"> {`pane ${pane + 1} of ${count}`}</span>}
          </span>
          <canvas
            role="img"
            aria-label={`${names[pane]} at ${TIMES} times of the run`}
            title="go to this picture"
            onClick={seek}
          />
        </Fragment>
      ))}
      <div ref={track} className="thumbnails-track">
        <div ref={cursor} className="thumbnails-cursor" />
      </div>
    </div>
  );
}

/** Calls `listener` when the size of the window changes. Returns a function that ends this. */
function onResize(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** Draws all rows in slices, unless another run is shown meanwhile. */
async function drawRows(
  run: ShownRun,
  endNs: number,
  {panes}: Strip,
  canvases: readonly HTMLCanvasElement[],
  width: number,
  theme: Theme,
  signal: {readonly isOver: boolean},
  slices: Slices,
): Promise<void> {
  for (const [row, canvas] of canvases.entries()) {
    const pane = panes[row] ?? 0;
    const trace = run.traces[pane];
    // a live load that is not complete changes many times a second
    if (trace === undefined || trace.data.outcome === 'loading') continue;
    const page = pageOfPane(run, pane);
    for (let slot = 0; slot < TIMES; slot++) {
      const size = await slices(() => (signal.isOver ? null : resized(canvas, width)));
      if (size === null) return;
      const place = {x: (slot * size.width) / TIMES, y: 0, width: size.width / TIMES - GAP_PX, height: size.height};
      const isDrawn = await drawSlot(canvas, place, page, trace, timeOf(slot, endNs), theme, signal, slices);
      if (!isDrawn) return;
    }
  }
}

/** Draws one thumbnail. Returns false if another run is shown meanwhile. */
async function drawSlot(
  canvas: HTMLCanvasElement,
  place: Slot,
  page: Page,
  trace: Trace,
  tNs: number,
  theme: Theme,
  signal: {readonly isOver: boolean},
  slices: Slices,
): Promise<boolean> {
  const pen = canvas.getContext('2d');
  if (pen === null) return false;
  const colours = {text: '#000', empty: PALETTES.light.line};
  const boxes = boxesOf(page);
  if (isSynthetic(page) || boxes === undefined) {
    return slices(() => {
      if (signal.isOver) return false;
      pen.clearRect(place.x, place.y, place.width + GAP_PX, place.height);
      drawBars(pen, place, trace, tNs, object => objectColour(object, theme), {
        ...colours,
        empty: PALETTES[theme].line,
      });
      return true;
    });
  }
  const pictures = smallPicturesOf(page);
  const {scale} = fitThumbnail(boxes, place);
  for (const {object, width, height} of boxes.pictures) {
    const bytes = trace.bytesAt(object, tNs);
    if (pictures.has(object, bytes)) continue;
    await slices(() => (signal.isOver ? undefined : pictures.decode(object, bytes, width * scale, height * scale)));
    if (signal.isOver) return false;
  }
  return slices(() => {
    if (signal.isOver) return false;
    pen.clearRect(place.x, place.y, place.width + GAP_PX, place.height);
    const pictureOf = (object: number) => pictures.known(object, trace.bytesAt(object, tNs));
    drawThumbnail(pen, place, boxes, trace, tNs, pictureOf, colours);
    return true;
  });
}

/** Gives the canvas the size of its element in pixels of the screen, and returns it. */
function resized(canvas: HTMLCanvasElement, cssWidth: number): {readonly width: number; readonly height: number} {
  const ratio = window.devicePixelRatio;
  const [width, height] = [Math.round(cssWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  return {width, height};
}
