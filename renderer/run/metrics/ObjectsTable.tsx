import {memo, useMemo, useRef} from 'react';
import type {ObjectTrace} from '../../../app/run/trace/traceData.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {isDimmed} from '../../session/hovered.ts';
import type {ShownRun} from '../../session/loads.ts';
import {labelsOf, unalikeOf} from '../../session/sources.ts';
import './objects.css';
import {useEffect, useState} from 'react';

interface ObjectsTableProps {
  readonly run: ShownRun;
  readonly theme: Theme;
}

/**
 * When each object was complete, pane by pane. An object is highlighted while its row is under the pointer or has the
 * focus.
 */
export function ObjectsTable({run, theme}: ObjectsTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const seen = useWhenSeen(run, table);
  const labels = useMemo(() => labelsOf(seen), [seen]);
  const hovered = useSessionState(state => state.hovered);
  const selected = useSessionState(state => state.selected);
  const rows = useMemo(() => objectRows(seen), [seen]);
  const aboutEm = (rows.length + 1) * (labels.length > 2 ? ROWS_EM.high : ROWS_EM.usual);
  return (
    <div className="objects-room" style={{containIntrinsicHeight: `auto ${aboutEm}em`}}>
      <table className="metrics objects" data-panes={labels.length} ref={table}>
        <thead>
          <tr>
            <th scope="col">
              complete at <small>from navigation</small>
            </th>
            {labels.map((label, pane) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
              <th scope="col" key={pane}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({object, url, times}) => (
            <ObjectRow
              key={url}
              object={object}
              url={url}
              times={times}
              colour={objectColour(object, theme)}
              isDimmed={isDimmed(hovered, object)}
              isSelected={object === selected}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * The estimated height of a row, em; `high` is for more than two panes. It determines the table's height until the user
 * first scrolls to the table.
 */
const ROWS_EM = {usual: 1.98, high: 3.55};

interface ObjectRowProps extends ObjectRowData {
  readonly colour: string;
  readonly isDimmed: boolean;
  readonly isSelected: boolean;
}

/** Memoized, because a movement of the pointer changes only a few rows, and a page may have hundreds of objects. */
const ObjectRow = memo(function ObjectRow({object, url, times, colour, isDimmed, isSelected}: ObjectRowProps) {
  const {hover, select} = useSession().highlights;
  return (
    <tr className={isDimmed ? 'dimmed' : ''} onMouseEnter={() => hover([object])} onMouseLeave={() => hover([])}>
      <th scope="row">
        <button
          type="button"
          className="quiet"
          title={url}
          aria-pressed={isSelected}
          onFocus={() => hover([object])}
          onBlur={() => hover([])}
          onClick={() => select(isSelected ? null : object)}
        >
          <span style={{color: colour}}>■</span> {url}
        </button>
      </th>
      {times.map((time, pane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
        <td key={pane}>{time}</td>
      ))}
    </tr>
  );
});

/** A row of the table of objects. */
export interface ObjectRowData {
  /** The object's index in the first pane that has it. */
  readonly object: number;
  readonly url: string;
  /** When the object was complete, in each pane. */
  readonly times: readonly string[];
}

/** A row for each object. If panes load different pages, objects are matched by their addresses. */
export function objectRows(run: ShownRun): readonly ObjectRowData[] {
  const {traces} = run;
  const isOnePage = !unalikeOf(run).page;
  const indices = new Map<string, number>();
  for (const {objects} of traces) {
    for (const [object, {url}] of objects.entries()) if (!indices.has(url)) indices.set(url, object);
  }
  return Array.from(indices, ([url, object]) => ({
    object,
    url,
    times: traces.map(({objects}) => timeText(isOnePage ? objects[object] : objects.find(each => each.url === url))),
  }));
}

function timeText(object: ObjectTrace | undefined): string {
  if (object?.failedNs != null) return 'failed';
  return object?.completeNs == null ? '–' : `${(object.completeNs / 1e9).toFixed(2)} s`;
}

/**
 * Returns `value` while the element is in sight. Otherwise a new value is returned only when it has stayed for
 * {@link REST_MS}, because a drag of a slider gives many values in a row, and laying out an invisible table for each of
 * them would slow down the visible parts.
 */
function useWhenSeen<T>(value: T, holder: {readonly current: Element | null}): T {
  const isSeen = useIsSeen(holder);
  const [shown, setShown] = useState(value);
  if (isSeen && shown !== value) setShown(value);
  useEffect(() => {
    if (isSeen) return;
    const timer = setTimeout(() => setShown(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value, isSeen]);
  return isSeen ? value : shown;
}

/** Whether the element is in sight. True until the browser has reported that it is not. */
function useIsSeen(holder: {readonly current: Element | null}): boolean {
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const observer = new IntersectionObserver(entries => setSeen(entries.at(-1)?.isIntersecting ?? true));
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder]);
  return isSeen;
}

/**
 * How long a value must stay, ms. This is longer than one step of a drag, and shorter than scrolling to the table
 * takes.
 */
const REST_MS = 300;
