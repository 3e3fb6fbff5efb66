import {type CSSProperties, type MouseEvent, useEffect, useMemo, useRef, useSyncExternalStore} from 'react';
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
import {GAP_PX, MOST_ROW_PX, type Strip, stripOf, timeOf} from './strip.ts';
import './thumbnails.css';

interface ThumbnailsProps {
  readonly run: ShownRun;
  readonly endNs: number;
  readonly player: Player;
  readonly theme: Theme;
}

/**
 * Small pictures of the pages over the time of the run, below the scrubber: a row for each pane, or for the first and
 * the last pane if the window is low. Each row begins with the name of its pane. Each picture shows its page at the
 * time of the picture's right edge. A click on the picture goes to that time. The rows are drawn while the window is
 * idle: first with those pictures of the pages that are decoded already, then with all pictures of the pages. The rows
 * are pale until they show the run that is on screen.
 */
export function Thumbnails({run, endNs, player, theme}: ThumbnailsProps) {
  const area = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const drawn = useRef<ShownRun | null>(null);
  const {width} = useSize(area);
  const windowHeight = useSyncExternalStore(onResize, () => window.innerHeight);
  const count = run.traces.length;
  const strip = useMemo(() => stripOf(count, {width, windowHeight}), [count, width, windowHeight]);
  const names = useMemo(() => namesOf(run), [run]);
  useEffect(() => {
    const rows = area.current;
    if (rows === null) return;
    const canvases = Array.from(rows.querySelectorAll('canvas'));
    const signal = {isOver: false};
    const show = (state: 'old' | 'begun' | 'drawn'): void => {
      // an equal state is not set again: while a slider moves, one run follows another, and the strip must not change
      if (rows.dataset['state'] !== state) rows.dataset['state'] = state;
    };
    // if only the size has changed, the drawn run is not an old one
    show(drawn.current === run ? 'begun' : 'old');
    const begin = (): void => {
      drawn.current = run;
      show('begun');
    };
    void drawRows({run, endNs, strip, canvases, width, theme, signal, slices: windowSlices}, begin).then(isDrawn => {
      if (isDrawn) show('drawn');
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
    const slot = Math.floor((strip.times * (event.clientX - box.left)) / box.width);
    player.pause();
    void player.seek(timeOf(Math.min(Math.max(slot, 0), strip.times - 1), strip.times, endNs));
  };
  return (
    <div ref={area} className="thumbnails" style={{'--row': `${strip.rowPx}px`} as CSSProperties}>
      {strip.panes.map(pane => (
        <div key={pane} className="thumbnails-row">
          <canvas
            role="img"
            aria-label={`${names[pane]} at ${strip.times} times of the run`}
            title="go to this picture"
            onClick={seek}
          />
          {/* the picture has the name for screen readers */}
          <span className="thumbnails-name" aria-hidden="true">
            {names[pane]}
          </span>
        </div>
      ))}
      <div ref={cursor} className="thumbnails-cursor" />
    </div>
  );
}

/** Calls `listener` when the size of the window changes. Returns a function that ends this. */
function onResize(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** Everything from which rows are drawn. */
interface Rows {
  readonly run: ShownRun;
  readonly endNs: number;
  readonly strip: Strip;
  readonly canvases: readonly HTMLCanvasElement[];
  /** The width of a row, CSS px. */
  readonly width: number;
  readonly theme: Theme;
  /** `isOver` is set when these rows are outdated, for example by another run or size. Then nothing more is drawn. */
  readonly signal: {readonly isOver: boolean};
  readonly slices: Slices;
}

/** A small picture: a place in a row, and the page at the time that is shown there. */
interface Thumbnail {
  readonly canvas: HTMLCanvasElement;
  readonly page: Page;
  readonly trace: Trace;
  readonly tNs: number;
  /** The index of its place in the row. */
  readonly slot: number;
}

/**
 * Draws all rows in slices and in two rounds. The first round draws each thumbnail with the pictures that are decoded
 * already. Then `begin` is called. The second round decodes the missing pictures, and draws again the thumbnails that
 * lacked some. Returns false if `isOver` was set before the end.
 */
async function drawRows(rows: Rows, begin: () => void): Promise<boolean> {
  const {signal, slices} = rows;
  const thumbnails = thumbnailsOf(rows);
  const incomplete = new Set<Thumbnail>();
  for (const thumbnail of thumbnails) {
    await slices(() => {
      if (signal.isOver) return;
      drawSlot(rows, thumbnail);
      if (missingPictures(rows, thumbnail).length > 0) incomplete.add(thumbnail);
    });
    if (signal.isOver) return false;
  }
  begin();
  for (const thumbnail of incomplete) {
    // earlier thumbnails may have decoded some of these pictures meanwhile
    const missing = missingPictures(rows, thumbnail);
    await Promise.all(missing.map(decode => slices(() => (signal.isOver ? undefined : decode()))));
    await slices(() => signal.isOver || drawSlot(rows, thumbnail));
    if (signal.isOver) return false;
  }
  return true;
}

/** The small pictures of all rows, time by time. */
function thumbnailsOf({run, endNs, strip, canvases}: Rows): readonly Thumbnail[] {
  const slots = Array.from({length: strip.times}, (_, slot) => slot);
  return slots.flatMap(slot =>
    canvases.flatMap((canvas, row) => {
      const pane = strip.panes[row] ?? 0;
      const trace = run.traces[pane];
      // a live load under way changes many times a second, so it has no small pictures yet
      if (trace === undefined || trace.data.outcome === 'loading') return [];
      return {canvas, page: pageOfPane(run, pane), trace, tNs: timeOf(slot, strip.times, endNs), slot};
    }),
  );
}

function drawSlot(rows: Rows, thumbnail: Thumbnail): void {
  const {canvas, page, trace, tNs} = thumbnail;
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const place = placeOf(rows, thumbnail);
  pen.clearRect(place.x - 1, place.y, place.width + 2, place.height);
  const boxes = boxesOf(page);
  if (isSynthetic(page) || boxes === undefined) {
    const colours = {text: '#000', empty: PALETTES[rows.theme].line};
    drawBars(pen, place, trace, tNs, object => objectColour(object, rows.theme), colours);
    return;
  }
  const pictures = smallPicturesOf(page);
  const pictureOf = (object: number) => pictures.known(object, trace.bytesAt(object, tNs));
  drawThumbnail(pen, place, boxes, trace, tNs, pictureOf, {text: '#000', empty: PALETTES.light.line});
}

/** Returns a function for each picture that a thumbnail still lacks. The function decodes the picture. */
function missingPictures(rows: Rows, thumbnail: Thumbnail): readonly (() => Promise<void>)[] {
  const {page, trace, tNs} = thumbnail;
  const boxes = boxesOf(page);
  if (isSynthetic(page) || boxes === undefined) return [];
  const pictures = smallPicturesOf(page);
  // decoded at the size for the largest rows, so that the picture stays sharp if the rows become larger
  const scale = fitThumbnail(boxes, placeOf(rows, thumbnail)).scale * (MOST_ROW_PX / rows.strip.rowPx);
  return boxes.pictures.flatMap(({object, width, height}) => {
    const bytes = trace.bytesAt(object, tNs);
    if (pictures.has(object, bytes)) return [];
    return () => pictures.decode(object, bytes, width * scale, height * scale);
  });
}

/** Returns where a small picture is on its canvas. Gives the canvas as many pixels as it covers on the screen. */
function placeOf({width, strip}: Rows, {canvas, slot}: Thumbnail): Slot {
  const ratio = window.devicePixelRatio;
  const [all, height] = [Math.round(width * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== all || canvas.height !== height) Object.assign(canvas, {width: all, height});
  const gap = GAP_PX * ratio;
  return {x: (slot * all) / strip.times + gap / 2, y: 0, width: all / strip.times - gap, height};
}
