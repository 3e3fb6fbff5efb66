import {memo, useEffect, useLayoutEffect, useRef} from 'react';
import type {Cause} from '../../../app/run/cause/cause.ts';
import {causeMarksAt} from '../../../app/run/cause/causeMarks.ts';
import {heldAt} from '../../../app/run/cause/held.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {type Hovered, isDimmed} from '../../session/hovered.ts';
import type {Player} from '../../session/player.ts';

export interface BlocksProps {
  readonly trace: Trace;
  readonly player: Player;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  /** The effect of the loss that is explained; null if no loss of this pane is explained. */
  readonly cause: Cause | null;
  /** Whether to show data that has arrived and waits behind lost packets. By default it is not shown. */
  readonly showsWaiting?: boolean;
  readonly onHover: (objects: readonly number[]) => void;
  readonly onSelect: (object: number | null) => void;
}

/**
 * Shows a synthetic page, whose objects are bytes without content: a block for each object, filled by the share of its
 * bytes that have been delivered.
 */
export function Blocks({
  trace,
  player,
  theme,
  hovered,
  selected,
  cause,
  onHover,
  onSelect,
  showsWaiting = false,
}: BlocksProps) {
  const list = useRef<HTMLUListElement>(null);
  const fills = useRef<Fill[]>([]);
  // the blocks stay the same for another run of the same page
  const urls = trace.objects.map(({url}) => url).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the blocks depend only on the urls
  useLayoutEffect(() => {
    const blocks = list.current?.querySelectorAll('button') ?? [];
    fills.current = Array.from(blocks, element => ({element, percent: Number.NaN, held: Number.NaN}));
  }, [urls]);
  useEffect(
    () =>
      player.onTime(tNs => {
        const held = showsWaiting ? heldAt(trace, tNs).objects : [];
        for (const [object, fill] of fills.current.entries()) {
          const percent = trace.percentAt(object, tNs);
          const waiting = held.find(each => each.object === object);
          const bytes = trace.objects[object]?.bytes ?? 0;
          show(fill, percent, waiting === undefined || bytes === 0 ? percent : (100 * waiting.bytes) / bytes);
        }
      }),
    [trace, player, showsWaiting],
  );
  useEffect(() => {
    if (cause === null) return;
    const boxes = fills.current;
    const show = (tNs: number): void => {
      const marks = new Map(causeMarksAt(trace, cause, tNs).map(({object, text}) => [object, text]));
      for (const [object, {element}] of boxes.entries()) {
        const {dataset} = element;
        const mark = marks.get(object);
        if (mark === undefined) delete dataset['cause'];
        else dataset['cause'] = mark;
      }
    };
    const end = player.onTime(show);
    return () => {
      end();
      for (const {element} of boxes) delete element.dataset['cause'];
    };
  }, [trace, player, cause]);
  const columns = Math.ceil(Math.sqrt(trace.objects.length * 1.6));
  return (
    <ul className="pane-blocks" style={{gridTemplateColumns: `repeat(${columns}, 1fr)`}} ref={list}>
      {trace.objects.map(({url}, object) => (
        <Block
          key={url}
          object={object}
          url={url}
          onHover={onHover}
          onSelect={onSelect}
          colour={objectColour(object, theme)}
          isDimmed={isDimmed(hovered, object)}
          isSelected={selected === object}
        />
      ))}
    </ul>
  );
}

/** A block, the percentage to which it is filled, and the percentage up to which it is hatched for waiting data. */
interface Fill {
  readonly element: HTMLElement;
  percent: number;
  held: number;
}

function show(fill: Fill, percent: number, held: number): void {
  if (fill.percent === percent && fill.held === held) return;
  Object.assign(fill, {percent, held});
  const {dataset, style} = fill.element;
  dataset['percent'] = String(percent);
  if (held > percent) dataset['held'] = String(held);
  else delete dataset['held'];
  // a background and not a transform: hundreds of transforms would make painting each frame slow
  style.backgroundSize = `100% ${percent}%, 100% ${held > percent ? held : 0}%`;
}

interface BlockProps extends Pick<BlocksProps, 'onHover' | 'onSelect'> {
  readonly object: number;
  readonly url: string;
  readonly colour: string;
  readonly isDimmed: boolean;
  readonly isSelected: boolean;
}

/** Memoized, because a selection changes at most two blocks, and another run changes none. */
const Block = memo(function Block({object, url, colour, isDimmed, isSelected, onHover, onSelect}: BlockProps) {
  return (
    <li className={isDimmed ? 'dimmed' : ''}>
      <button
        type="button"
        aria-label={url}
        aria-pressed={isSelected}
        onMouseEnter={() => onHover([object])}
        onMouseLeave={() => onHover([])}
        onClick={() => onSelect(isSelected ? null : object)}
        data-object={object}
        style={{color: colour}}
      />
    </li>
  );
});
