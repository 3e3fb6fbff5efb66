import {memo, useEffect, useMemo, useRef} from 'react';
import {picturesOf} from '../../../app/run/quality/pageQuality.ts';
import {countStates, type Eye, type PictureState, pictureStateAt} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {setText} from '../../kit/setText.ts';
import {type Hovered, isDimmed} from '../../session/hovered.ts';
import type {Player} from '../../session/player.ts';

export interface SightProps {
  readonly trace: Trace;
  readonly eye: Eye;
  readonly player: Player;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly onHover: (objects: readonly number[]) => void;
}

/**
 * The states of the page's pictures at t: a dot for each picture in the page's order, or one bar if there are many
 * pictures, and how many pictures have reached each state. All of them are updated at each t without rendering with
 * React.
 */
export function Sight(props: SightProps) {
  const {trace, eye, player, theme, hovered, onHover} = props;
  const dots = useRef(new Map<number, SVGElement>());
  const parts = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLSpanElement>(null);
  const pictures = useMemo(() => picturesOf(trace, eye.quality).map(([object]) => object), [trace, eye]);
  useEffect(() => {
    const {quality, thresholds} = eye;
    return player.onTime(tNs => {
      for (const [object, dot] of dots.current) {
        const state = pictureStateAt(trace, quality, thresholds, object, tNs);
        // setting the same state again would be a change of the document, which a recording would have to examine
        if (dot.dataset['sight'] !== state) dot.dataset['sight'] = state;
      }
      const counts = countStates(trace, quality, thresholds, tNs);
      const {pictures, recognisable, good, complete} = counts;
      const shares = [complete, good - complete, recognisable - good, pictures - recognisable];
      for (const [i, part] of Array.from(parts.current?.children ?? []).entries()) {
        const {style} = part as HTMLElement;
        if (style.flexGrow !== String(shares[i])) style.flexGrow = String(shares[i]);
      }
      for (const number of words.current?.querySelectorAll('b') ?? []) {
        setText(number, String(counts[number.className as keyof typeof counts]));
      }
    });
  }, [trace, eye, player]);
  return (
    <>
      {!hasDots(pictures.length) ? (
        <div className="pane-parts" ref={parts} aria-hidden="true">
          {['complete', 'good', 'recognisable', 'none'].map(state => (
            <span key={state} data-sight={state} style={{flexGrow: 0}} />
          ))}
        </div>
      ) : (
        <span className="pane-dots" aria-hidden="true">
          {pictures.map(object => (
            <Dot
              key={object}
              object={object}
              theme={theme}
              onHover={onHover}
              url={trace.objects[object]?.url ?? ''}
              isDimmed={isDimmed(hovered, object)}
              dots={dots.current}
            />
          ))}
        </span>
      )}
      <span className="pane-words" ref={words}>
        <span className="pane-long">pictures </span>
        <span>
          <span>
            <b className="recognisable" />
            <span className="pane-of"> of {pictures.length}</span>
          </span>{' '}
          recognisable
        </span>
        <span className="pane-long">, </span>
        <span>
          <b className="good" /> good
        </span>
        <span className="pane-long">, </span>
        <span>
          <b className="complete" /> complete
        </span>
      </span>
    </>
  );
}

interface DotProps extends Pick<SightProps, 'theme' | 'onHover'> {
  readonly object: number;
  readonly url: string;
  readonly isDimmed: boolean;
  /** The elements of the dots, by object. Each dot adds and removes its own element. */
  readonly dots: Map<number, SVGElement>;
}

/** A ring that is half full when the picture is recognisable, full when it is good, and ticked when it is complete. */
const Dot = memo(function Dot({object, url, theme, isDimmed, onHover, dots}: DotProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the objects' table offers the same by keyboard
    <svg
      ref={dot => {
        if (dot === null) dots.delete(object);
        else dots.set(object, dot);
      }}
      role="presentation"
      viewBox="0 0 20 20"
      className={isDimmed ? 'dimmed' : ''}
      style={{color: objectColour(object, theme)}}
      onMouseEnter={() => onHover([object])}
      onMouseLeave={() => onHover([])}
    >
      <title>{url}</title>
      {SHAPE}
    </svg>
  );
});

/** A sample of a dot for a legend. */
export function DotShape({state}: {readonly state: PictureState}) {
  return (
    <svg viewBox="0 0 20 20" data-sight={state} aria-hidden="true">
      {SHAPE}
    </svg>
  );
}

const SHAPE = (
  <>
    <circle cx="10" cy="10" r="8.3" />
    <path className="half" d="M1.7 10a8.3 8.3 0 0 0 16.6 0z" />
    <path className="tick" d="m5.8 10.4 3 3.1 5.6-6.6" />
  </>
);

/** Whether a page with this number of pictures has dots. Otherwise it has no pictures, or a bar. */
export function hasDots(pictures: number): boolean {
  return pictures > 0 && pictures <= MOST_DOTS;
}

/** There would be no room for more dots, and nobody could distinguish them. */
const MOST_DOTS = 20;
