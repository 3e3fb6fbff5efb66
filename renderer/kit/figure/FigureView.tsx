import {type KeyboardEvent, type MouseEvent, useEffect, useId, useLayoutEffect, useRef, useState} from 'react';
import {drawFigure} from '../../../app/study/figures/draw.ts';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {drawLegend} from '../../../app/study/figures/legend.ts';
import {PALETTES, PANE_COLOURS} from '../../../app/study/figures/palette.ts';
import type {Theme} from '../objectColours.ts';
import {useSize} from '../useSize.ts';
import {type FigurePoint, type Place, paneOf, placeBeside, placeNear, placesOf} from './pointPlaces.ts';
import './figure.css';

interface FigureViewProps {
  readonly figure: Figure;
  readonly theme: Theme;
  /** The lines of text about a point. */
  readonly textOf: (point: FigurePoint) => readonly string[];
  /**
   * Whether the point is marked. In an experiment, the points of the cell whose run is on screen are marked; in the
   * advice, the best point is marked.
   */
  readonly isOnShow: (point: FigurePoint) => boolean;
  /**
   * Called when a point is clicked, or when Enter is pressed on it. `step` is 1, or −1 with Shift. An experiment opens
   * the next or the previous run of the point's cell. The advice applies the point's setting.
   */
  readonly onOpen: (point: FigurePoint, step: 1 | -1) => void;
}

/**
 * Shows a figure, and a text about the point under the pointer. Arrow keys move from point to point. A click on a point
 * or Enter calls `onOpen`.
 */
export function FigureView({figure, theme, textOf, isOnShow, onOpen}: FigureViewProps) {
  const area = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const {width, height, fontPx} = useSize(area);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [pointed, setPointed] = useState<string | null>(null);
  const id = useId();
  useLayoutEffect(() => {
    // in a dialog that is not open yet, the width is 0
    if (width === 0) return;
    const colours = {palette: PALETTES[theme], colours: PANE_COLOURS[theme]};
    const style = {...colours, fontPx, lineWidth: fontPx * 0.14};
    const legend = drawLegend(figure, document, style, width - 2 * fontPx);
    const plotHeight = Math.max(height - legend.height - fontPx * BELOW_EM, fontPx * LEAST_EM);
    const svg = drawFigure(figure, {document, style, width, height: plotHeight, isBare: true});
    if (!(svg instanceof SVGElement)) return;
    picture.current?.replaceChildren(svg);
    setPlaces(placesOf(figure, svg));
  }, [figure, theme, width, height, fontPx]);
  // the place is found by its key, because a point moves when the figure is drawn again
  const place = places.find(each => keyOf(each.point) === pointed);
  const near = (event: MouseEvent) => {
    const box = area.current?.getBoundingClientRect();
    const at = {x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0)};
    return placeNear(places, at, fontPx * REACH_EM);
  };
  const point = (at: Place | undefined) => setPointed(at === undefined ? null : keyOf(at.point));
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = place ?? places[0];
    const to = from === undefined || event.shiftKey ? undefined : placeBeside(places, from, event.key);
    if (event.key === 'Enter' && place !== undefined) onOpen(place.point, event.shiftKey ? -1 : 1);
    else if (to !== undefined) setPointed(keyOf(to.point));
    else return;
    // otherwise the window's own shortcuts would step through the run
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="figure"
      ref={area}
      role="listbox"
      // without points there are no options yet
      aria-busy={places.length === 0}
      tabIndex={0}
      aria-label={`${figure.title}: ${figure.series.map(({name}) => name).join(', ')}`}
      aria-activedescendant={place === undefined ? undefined : `${id}-${keyOf(place.point)}`}
      onFocus={({currentTarget}) => {
        // a click also gives the figure the focus, but must not move from the clicked point to the first one
        if (currentTarget.matches(':focus-visible') && places[0] !== undefined) setPointed(keyOf(places[0].point));
      }}
      onBlur={() => setPointed(null)}
      onKeyDown={press}
      onPointerMove={event => point(near(event))}
      onPointerLeave={() => setPointed(null)}
      onClick={event => {
        // on a touch screen, no pointer movement precedes a press
        const at = near(event);
        point(at);
        if (at !== undefined) onOpen(at.point, event.shiftKey ? -1 : 1);
      }}
      style={{cursor: place === undefined ? 'default' : 'pointer'}}
    >
      <div className="figure-picture" ref={picture} aria-hidden="true" />
      <svg className="figure-marks" width={width} height={height} role="presentation">
        {places.map(each => (
          <circle
            key={keyOf(each.point)}
            id={`${id}-${keyOf(each.point)}`}
            role="option"
            aria-label={textOf(each.point).join(', ')}
            aria-selected={isOnShow(each.point)}
            data-cell={each.point.cell}
            data-series={paneOf(each.point)}
            className={each === place ? 'figure-mark pointed' : 'figure-mark'}
            cx={each.x}
            cy={each.y}
            r={fontPx * 0.5}
          />
        ))}
      </svg>
      {place !== undefined && <Tip place={place} width={width} height={height} lines={textOf(place.point)} />}
    </div>
  );
}

interface TipProps {
  readonly place: Place;
  /** The figure's size, px. */
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}

/** The text about a point. It is on the side of the point that has more room. */
function Tip({place, width, height, lines}: TipProps) {
  const tip = useRef<HTMLDivElement>(null);
  const [first, ...others] = lines;
  useEffect(() => {
    const element = tip.current;
    if (element === null) return;
    const {offsetWidth, offsetHeight} = element;
    const x = place.x > width / 2 ? place.x - offsetWidth - GAP_PX : place.x + GAP_PX;
    const y = Math.min(Math.max(place.y - offsetHeight / 2, 0), Math.max(height - offsetHeight, 0));
    element.style.translate = `${Math.max(x, 0)}px ${y}px`;
  }, [place, width, height]);
  return (
    <div ref={tip} className="figure-tip" role="tooltip">
      <strong>{first}</strong>
      {others.map(line => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

/** A key of a point, which stays the same when the figure is drawn again with other values. */
function keyOf(point: FigurePoint): string {
  return `${point.cell}-${paneOf(point)}`;
}

const GAP_PX = 14;
/** A point is selected only if the distance from the pointer to the point is less than this. */
const REACH_EM = 2.5;
/** How far the name of the x axis reaches below the plot. */
const BELOW_EM = 0.4;
/** The least height at which a plot can be read. */
const LEAST_EM = 8;
