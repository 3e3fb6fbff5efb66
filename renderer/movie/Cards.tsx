import type {MovieOptions} from '../../app/movie/options.ts';
import {describePath} from '../../app/scenario/describe.ts';
import {paneLabel} from '../metrics/HonestyLine.tsx';
import {MetricsTable} from '../metrics/MetricsTable.tsx';
import type {ShownRun} from '../store/loads.ts';
import {recordCommand} from './recordCommand.ts';

/** Before the run: what is compared, and on what. */
export function TitleCard({run: {scenario, page}}: {readonly run: ShownRun}) {
  const {changes} = scenario;
  return (
    <section className="card card-title">
      <p className="card-brand">Interleave</p>
      <h1>
        {scenario.panes.map(paneLabel).map((label, pane) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
          <span key={pane}>
            {pane > 0 && <small> against </small>}
            {label}
          </span>
        ))}
      </h1>
      <p>
        the page “{page.name}”: {page.objects.length} objects
      </p>
      <p>{describePath(scenario.path)}</p>
      {changes.length > 0 && (
        <p>the path changes {changes.length === 1 ? 'once' : `${changes.length} times`} on the way</p>
      )}
      <p>seed {scenario.seed}: the same losses for everyone, packet by packet</p>
    </section>
  );
}

/** After the run: what came of it, and how to get it again. */
export function ResultsCard({run, movie}: {readonly run: ShownRun; readonly movie: MovieOptions}) {
  return (
    <section className="card card-results">
      <MetricsTable metrics={run.metrics} labels={run.scenario.panes.map(paneLabel)} />
      <code>{recordCommand(run.scenario, movie)}</code>
    </section>
  );
}
