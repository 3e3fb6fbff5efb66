import {useLayoutEffect, useMemo, useRef} from 'react';
import {type Page, pictureFiles} from '../../../app/page/page.ts';
import {picturesOf} from '../../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Axis, TimelineName} from '../../../app/telling/movie/options.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {DotShape, hasDots} from '../panes/Sight.tsx';
import type {Layout, Mark, TimelinePane} from '../timeline/model.ts';
import {viewOf} from '../timeline/viewOf.ts';
import './stage.css';

interface LegendProps {
  readonly page: Page;
  readonly panes: readonly TimelinePane[];
  readonly view: TimelineName;
  readonly axis: Axis;
  readonly layout: Layout;
  readonly theme: Theme;
  readonly eye: Eye | null;
}

/**
 * Explains the dots in the headers and the marks of the timeline's current view, with samples that are drawn as in the
 * view. Room is reserved for the entries that are shown only after the page's pictures are measured.
 */
export function Legend({page, panes, view, axis, layout, theme, eye}: LegendProps) {
  const marks = useMemo(() => viewOf(view).marks(panes, layout, axis), [panes, view, layout, axis]);
  const trace = panes[0]?.trace;
  const isMeasured = eye !== null && trace !== undefined;
  const pictures = isMeasured ? picturesOf(trace, eye.quality).length : pictureFiles(page);
  const coming = isMeasured ? '' : ' is-coming';
  return (
    <ul className="legend" aria-label="marks">
      {hasDots(pictures) &&
        DOTS.map(([state, text]) => (
          <li key={state} className={`pane-dots${coming}`}>
            <DotShape state={state} />
            {text}
          </li>
        ))}
      {pictures > 0 && (
        <li className={coming}>
          <span className="legend-bar" />
          visual progress of the page
        </li>
      )}
      <li>
        <span className="legend-now" />
        now
      </li>
      {marks.map(mark => (
        <li key={mark.text}>
          <Sample mark={mark} theme={theme} />
          {mark.text}
        </li>
      ))}
    </ul>
  );
}

/** What each dot means. */
const DOTS = [
  ['none', 'not yet'],
  ['recognisable', 'recognisable'],
  ['good', 'good'],
  ['complete', 'complete'],
] as const;

function Sample({mark, theme}: {readonly mark: Mark; readonly theme: Theme}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const draw = () => {
      const context = element.getContext('2d');
      const {clientWidth: width, clientHeight: height} = element;
      if (context === null || width === 0) return;
      const ratio = window.devicePixelRatio;
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
      context.scale(ratio, ratio);
      const fontPx = Number.parseFloat(getComputedStyle(element).fontSize);
      mark.draw(context, {theme, fontPx}, {x: 1, y: 1, width: width - 2, height: height - 2});
    };
    // the observer also reports the first size, after layout and before painting; reading it here would cost a layout
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [mark, theme]);
  return <canvas ref={canvas} aria-hidden />;
}
