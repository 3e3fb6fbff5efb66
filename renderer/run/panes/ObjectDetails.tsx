import {useEffect, useRef} from 'react';
import {failureText} from '../../../app/page/failure.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {Icon} from '../../kit/Icon.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import './details.css';

interface ObjectDetailsProps {
  readonly run: ShownRun;
  /** The names of the panes. */
  readonly labels: readonly string[];
}

/** The selected object in each pane: its state at t and the times of its load. Renders nothing if none is selected. */
export function ObjectDetails({run, labels}: ObjectDetailsProps) {
  const {highlights} = useSession();
  const object = useSessionState(state => state.selected);
  if (object === null) return null;
  const url = run.traces.find(trace => trace.objects[object] !== undefined)?.objects[object]?.url;
  return (
    <div className="details">
      <table>
        <thead>
          <tr>
            <th scope="col">{url}</th>
            {['now', 'stream', 'request', 'first byte', 'complete', 'HOL blocked'].map(name => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {run.traces.map((trace, pane) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
            <Row key={pane} label={labels[pane] ?? ''} trace={trace} object={object} />
          ))}
        </tbody>
      </table>
      <button
        type="button"
        className="quiet"
        title="close (Esc)"
        aria-label="close the details"
        onClick={() => highlights.select(null)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

interface RowProps {
  readonly label: string;
  readonly trace: Trace;
  readonly object: number;
}

function Row({label, trace, object}: RowProps) {
  const {player} = useSession();
  const state = useRef<HTMLTableCellElement>(null);
  const row = trace.objects[object];
  useEffect(
    () =>
      player.onTime(tNs => {
        if (state.current !== null) state.current.textContent = stateText(trace, object, tNs);
      }),
    [trace, object, player],
  );
  if (row === undefined) return null;
  const blockedMs = trace.blockedOf(object).reduce((sum, each) => sum + (each.endNs - each.startNs) / 1e6, 0);
  return (
    <tr>
      <th scope="row">{label}</th>
      <td ref={state} />
      <td>{row.stream ?? '–'}</td>
      <td>{seconds(row.requestNs)}</td>
      <td>{seconds(row.firstByteNs)}</td>
      <td>
        {row.failure === null
          ? seconds(row.completeNs)
          : `failed at ${seconds(row.failedNs)}: ${failureText(row.failure)}`}
      </td>
      <td>{blockedMs === 0 ? 'never' : `${(blockedMs / 1000).toFixed(2)} s`}</td>
    </tr>
  );
}

function stateText(trace: Trace, object: number, tNs: number): string {
  const waits = trace.blockedOf(object).some(each => each.startNs <= tNs && tNs < each.endNs);
  const bytes = `${trace.bytesAt(object, tNs)} of ${trace.objects[object]?.bytes} B`;
  return `${trace.stateAt(object, tNs)}, ${bytes}${waits ? ', head-of-line blocked' : ''}`;
}

function seconds(ns: number | null): string {
  return ns === null ? '–' : `${(ns / 1e9).toFixed(2)} s`;
}
