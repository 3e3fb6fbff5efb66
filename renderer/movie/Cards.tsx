import {Fragment} from 'react';
import {unbroken} from '../../app/base/text.ts';
import {oneLossSentence} from '../../app/run/cause/effect.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {describeRunPath} from '../../app/run/scenario/describe.ts';
import {hasOwnDrops} from '../../app/run/scenario/paneDrops.ts';
import type {MovieOptions} from '../../app/telling/movie/options.ts';
import {likenessText, pageText, pageTitle} from '../../app/telling/narration/likeness.ts';
import {endSentences} from '../../app/telling/narration/runSentences.ts';
import {whyLine} from '../../app/telling/narration/whyLine.ts';
import {seedText} from '../run/metrics/fairness.ts';
import {MetricsTable} from '../run/metrics/MetricsTable.tsx';
import type {ShownRun} from '../session/loads.ts';
import {allWhyOf, fromFilesText, labelsOf, namesOf, unalikeOf} from '../session/sources.ts';
import {cardCommand, FILE} from './recordCommand.ts';
import './cards.css';

/**
 * The card before the run. It names the compared pipelines, the page and the path. If the panes differ in more than
 * their settings, because they come from several trace files, it names the files and the differences instead of the
 * page and the path.
 */
export function TitleCard({run, eye, title = null}: TitleCardProps) {
  const {scenario, page, traces} = run;
  const {notes} = unalikeOf(run);
  const {changes} = scenario;
  const likeness = likenessText(scenario);
  return (
    <section className="card card-title">
      <p className="card-brand">Interleave</p>
      <h1 data-panes={scenario.panes.length}>
        {labelsOf(run).map((label, pane) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
          <Fragment key={pane}>
            {pane > 0 && <small>against</small>}
            <span>{label}</span>
          </Fragment>
        ))}
      </h1>
      {notes.length > 0 ? (
        [fromFilesText(run), ...notes].map(text => <p key={text}>{text}</p>)
      ) : (
        <>
          <p>
            the page “{title ?? pageTitle(page)}”: {pageText(page, traces[0], eye)}
          </p>
          <p>{describeRunPath(scenario, scenario.path)}</p>
          {likeness !== '' && <p>{likeness}</p>}
          {changes.length > 0 && (
            <p>the path changes {changes.length === 1 ? 'once' : `${changes.length} times`} during the run</p>
          )}
          {scenario.path.live === undefined && <p>{seedText(scenario)}</p>}
        </>
      )}
    </section>
  );
}

interface TitleCardProps extends EndProps {
  /** The title to show for the page; null for the page's own name. */
  readonly title?: string | null;
}

interface EndProps {
  readonly run: ShownRun;
  /** The measured quality of the page; null if there is none. The texts then do not say how pictures look. */
  readonly eye: Eye | null;
}

interface ResultsCardProps extends EndProps {
  readonly movie: MovieOptions;
}

/**
 * The card after the run. It shows the results, and the command that records the same movie. For panes from trace files
 * it names the files instead of the command.
 */
export function ResultsCard({movie, ...end}: ResultsCardProps) {
  const {run} = end;
  const {command, isOfFile} = cardCommand(run.scenario, movie);
  return (
    <section className="card card-results">
      <WhatWasSeen {...end} />
      <MetricsTable run={run} eye={end.eye} labels={run.traces.length > MOST_LABELS ? namesOf(run) : labelsOf(run)} />
      {run.sources === undefined ? <code>{command}</code> : <p>{fromFilesText(run)}</p>}
      {isOfFile && run.sources === undefined && <p>where {FILE} is this scenario, saved to a file</p>}
    </section>
  );
}

/**
 * The largest number of panes whose full labels fit into the table's columns. With more panes, only the title card has
 * full labels.
 */
const MOST_LABELS = 3;

/**
 * The card that the window shows after the run. It has the result only in words, because the timeline stays on screen.
 */
export function EndCard(end: EndProps) {
  return (
    <section className="card card-results">
      <WhatWasSeen {...end} />
    </section>
  );
}

function WhatWasSeen({run, eye}: EndProps) {
  const {traces} = run;
  const names = namesOf(run);
  const {page, notes} = unalikeOf(run);
  if (page) return <h2>Different pages: none is ahead</h2>;
  const lesson = notes.length > 0 || hasOwnDrops(run.scenario) ? '' : oneLossSentence(traces, names);
  const why = whyLine({traces, names, why: allWhyOf(run)});
  return (
    <>
      {[...(lesson === '' ? [] : [lesson]), ...endSentences({traces, names}, eye)].map(sentence => (
        <h2 key={sentence}>{unbroken(sentence)}</h2>
      ))}
      {why !== '' && <p className="card-why">{unbroken(why)}</p>}
    </>
  );
}
