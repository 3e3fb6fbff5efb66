import {Fragment} from 'react';
import type {MovieOptions} from '../../app/movie/options.ts';
import type {Page} from '../../app/page/page.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {describePath} from '../../app/scenario/describe.ts';
import {seedText} from '../metrics/fairness.ts';
import {MetricsTable} from '../metrics/MetricsTable.tsx';
import {paneLabels} from '../panes/paneLabels.ts';
import type {ShownRun} from '../store/loads.ts';
import {cardCommand, FILE} from './recordCommand.ts';

/** Before the run: what is compared, and on what. */
export function TitleCard({run: {scenario, page}}: {readonly run: ShownRun}) {
  const {changes} = scenario;
  return (
    <section className="card card-title">
      <p className="card-brand">Interleave</p>
      <h1 data-panes={scenario.panes.length}>
        {paneLabels(scenario.panes).map((label, pane) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
          <Fragment key={pane}>
            {pane > 0 && <small>against</small>}
            <span>{label}</span>
          </Fragment>
        ))}
      </h1>
      <p>
        the page “{page.name}”: {contentsText(page)}
      </p>
      <p>{describePath(scenario.path)}</p>
      {changes.length > 0 && (
        <p>the path changes {changes.length === 1 ? 'once' : `${changes.length} times`} on the way</p>
      )}
      <p>{seedText(scenario)}</p>
    </section>
  );
}

interface ResultsCardProps {
  readonly run: ShownRun;
  readonly movie: MovieOptions;
  readonly eye: Eye | null;
}

/** After the run: what came of it, and how to get it again. */
export function ResultsCard({run, movie, eye}: ResultsCardProps) {
  const {command, isOfFile} = cardCommand(run.scenario, movie);
  return (
    <section className="card card-results">
      <MetricsTable run={run} eye={eye} labels={paneLabels(run.scenario.panes)} />
      <code>{command}</code>
      {isOfFile && <p>where {FILE} is this scenario, saved to a file</p>}
    </section>
  );
}

function contentsText({objects}: Page): string {
  const others = objects.length - 1;
  return others === 0 ? 'index.html alone' : `index.html and ${others} object${others === 1 ? '' : 's'}`;
}
