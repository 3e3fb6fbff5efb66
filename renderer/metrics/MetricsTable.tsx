import {useMemo} from 'react';
import {runNotes} from '../../app/metrics/completeness.ts';
import type {PaneMetrics} from '../../app/metrics/metrics.ts';
import {metricRows} from './rows.ts';

interface MetricsTableProps {
  readonly metrics: readonly PaneMetrics[];
  readonly labels: readonly string[];
}

/** The papers' metrics side by side, each with its ratio to the first pane's. */
export function MetricsTable({metrics, labels}: MetricsTableProps) {
  const rows = useMemo(() => metricRows(metrics), [metrics]);
  const notes = useMemo(() => runNotes(metrics, labels), [metrics, labels]);
  return (
    <table className="metrics" data-panes={labels.length}>
      {notes.length > 0 && (
        <caption>
          {notes.map(note => (
            <div key={note}>{note}</div>
          ))}
        </caption>
      )}
      <thead>
        <tr>
          <th scope="col">whole run</th>
          {labels.map((label, pane) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
            <th scope="col" key={pane}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({name, from, title, cells}) => (
          <tr key={name}>
            <th scope="row" title={title}>
              {name} {from !== '' && <small>from the {from}</small>}
            </th>
            {cells.map(({text, ratio}, pane) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
              <td key={pane}>
                {text} <small>{ratio}</small>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
