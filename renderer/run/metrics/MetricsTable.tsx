import {useMemo} from 'react';
import {clockOf} from '../../../app/run/metrics/clock.ts';
import {runNotes} from '../../../app/run/metrics/runNotes.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {measureVisual} from '../../../app/run/quality/visual.ts';
import {absenceNotes, type Prediction} from '../../../app/study/model/prediction.ts';
import type {ShownRun} from '../../session/loads.ts';
import {metricRows} from './metricRows.ts';
import './metrics.css';

interface MetricsTableProps {
  readonly run: Pick<ShownRun, 'metrics' | 'traces' | 'scenario'>;
  /** The measured quality of the page's pictures; null until it is measured. */
  readonly eye: Eye | null;
  readonly labels: readonly string[];
  /** The predictions of the model of the paper L06 for each pane, if the table is to show them. */
  readonly predictions?: readonly Prediction[];
}

const NONE: readonly Prediction[] = [];

/** The papers' metrics and the visual metrics, pane by pane, each with its ratio to the first pane's value. */
export function MetricsTable({run, eye, labels, predictions = NONE}: MetricsTableProps) {
  const {metrics, traces, scenario} = run;
  const clock = clockOf(scenario);
  const rows = useMemo(() => {
    const seen = traces.map(trace => eye && measureVisual(trace, eye.quality, eye.thresholds));
    return metricRows(metrics, clock, seen, predictions);
  }, [metrics, clock, traces, eye, predictions]);
  const notes = useMemo(
    () => [...runNotes(metrics, labels), ...absenceNotes(predictions, labels)],
    [metrics, labels, predictions],
  );
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
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
            <th scope="col" key={pane}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({name, from, title, isDetail, cells}) => (
          <tr key={name} className={isDetail ? 'detail' : ''}>
            <th scope="row" title={title}>
              {name} {from !== '' && <small>from {from === 'navigation' ? from : `the ${from}`}</small>}
            </th>
            {cells.map(({text, ratio}, pane) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
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
