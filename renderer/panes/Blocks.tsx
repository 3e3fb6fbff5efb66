import {useEffect, useRef} from 'react';
import type {Trace} from '../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../hovered.ts';
import {objectColour, type Theme} from '../objectColours.ts';
import type {Player} from '../player.ts';

export interface BlocksProps {
  readonly trace: Trace;
  readonly player: Player;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  readonly onHover: (objects: readonly number[]) => void;
  readonly onSelect: (object: number | null) => void;
}

/** One block per object, filled as far as its bytes are there. */
export function Blocks({trace, player, theme, hovered, selected, onHover, onSelect}: BlocksProps) {
  const fills = useRef(new Map<number, HTMLElement>());
  useEffect(
    () =>
      player.onTime(tNs => {
        for (const [object, fill] of fills.current) {
          const percent = trace.percentAt(object, tNs);
          if (fill.dataset['percent'] === String(percent)) continue;
          fill.dataset['percent'] = String(percent);
          // not a transform: hundreds of them make every frame's paint slow
          fill.style.backgroundSize = `100% ${percent}%`;
        }
      }),
    [trace, player],
  );
  const columns = Math.ceil(Math.sqrt(trace.objects.length * 1.6));
  return (
    <ul className="pane-blocks" style={{gridTemplateColumns: `repeat(${columns}, 1fr)`}}>
      {trace.objects.map(({url}, object) => (
        <li key={url} className={isDimmed(hovered, object) ? 'dimmed' : ''}>
          <button
            type="button"
            aria-label={url}
            aria-pressed={selected === object}
            onMouseEnter={() => onHover([object])}
            onMouseLeave={() => onHover([])}
            onClick={() => onSelect(selected === object ? null : object)}
            data-object={object}
            ref={element => {
              if (element === null) fills.current.delete(object);
              else fills.current.set(object, element);
            }}
            style={{color: objectColour(object, theme)}}
          />
        </li>
      ))}
    </ul>
  );
}
