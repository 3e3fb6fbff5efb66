import {Fragment, useMemo} from 'react';
import type {Eye} from '../../../app/run/quality/states.ts';
import {isComputedPath} from '../../../app/run/scenario/capturedPath.ts';
import {describeRunPath, describeSeed} from '../../../app/run/scenario/describe.ts';
import {pathAt} from '../../../app/run/scenario/scenario.ts';
import {runEndNs} from '../../../app/run/trace/trace.ts';
import {speedText} from '../../../app/telling/movie/speed.ts';
import {likenessText, pageText, pageTitle, presetName, presetOf} from '../../../app/telling/narration/likeness.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {browserOf, changesOf, fromFilesText, labelsOf, namesOf, recordedOf, unalikeOf} from '../../session/sources.ts';
import {TextAt} from './TextAt.tsx';
import './stage.css';

interface HeadingProps {
  readonly run: ShownRun;
  readonly eye: Eye | null;
  readonly player: Player;
  /** Run time per second of playback. */
  readonly speed: number;
  /** The page's title; by default the page's own name. */
  readonly title?: string | null;
  /** The text at t (ns) about a change of the path. Undefined if changes of the path are not shown. */
  readonly change?: ((tNs: number) => string) | undefined;
}

/** Says what is compared, with which page and path, and what makes the comparison fair. */
export function Heading({run, eye, player, speed, title = null, change}: HeadingProps) {
  const {scenario, page} = run;
  const pathText = useMemo(() => (tNs: number) => describeRunPath(scenario, pathAt(scenario, tNs)), [scenario]);
  const preset = useMemo(() => presetOf(scenario), [scenario]);
  const clock = useMemo(() => clockOf(run), [run]);
  const likeness = likenessText(scenario);
  const browser = browserOf(run);
  const recorded = recordedOf(run);
  const {notes} = unalikeOf(run);
  const longest = changesOf(run).reduce((most, {text}) => (text.length > most.length ? text : most), '');
  const isLong = longest.length > LONGEST_BESIDE;
  return (
    <header className="heading" data-panes={scenario.panes.length}>
      <h1>
        {headingsOf(run).map((label, pane) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
          <Fragment key={pane}>
            {pane > 0 && <small> against </small>}
            <span>{label}</span>
          </Fragment>
        ))}
      </h1>
      {change !== undefined && (
        <span className={`heading-change${isLong ? ' is-long' : ''}`}>
          {/* keeps the room of the longest text, so that the layout is the same at any t */}
          {isLong && <span aria-hidden="true">{longest}</span>}
          <TextAt player={player} text={change} />
        </span>
      )}
      <span className="heading-clock">
        {speed !== 1 && <small>{speedText(speed)}</small>} <TextAt player={player} text={clock} />
      </span>
      {notes.length > 0 ? (
        <p>
          {[fromFilesText(run), ...notes].map(text => (
            <span key={text}>{text}</span>
          ))}
        </p>
      ) : (
        <p>
          <span>
            page <strong>{title ?? pageTitle(page)}</strong>: {pageText(page, run.traces[0], eye)}
          </span>
          <span>
            <strong>
              <TextAt player={player} text={pathText} />
            </strong>
            {preset !== undefined && ` (${presetName(preset)})`}
          </span>
          {isComputedPath(scenario.path) && <span>{describeSeed(scenario)}</span>}
          {likeness !== '' && <span>{likeness}</span>}
          {browser !== '' && <span>{browser}</span>}
          {recorded !== '' && <span>{recorded}</span>}
        </p>
      )}
    </header>
  );
}

/**
 * The names in the heading. For more than two panes, these are the short names, because full labels would be too long.
 * The headers of the panes show the rest.
 */
function headingsOf(run: ShownRun): readonly string[] {
  return run.traces.length > MOST_LABELS ? namesOf(run) : labelsOf(run);
}

const MOST_LABELS = 2;

/** Returns a function that maps t (ns) to the text of the clock. The seconds of a short run have three decimals. */
function clockOf({traces}: ShownRun): (tNs: number) => string {
  const digits = runEndNs(traces) < SHORT_NS ? 3 : 2;
  return tNs => `t = ${(tNs / 1e9).toFixed(digits)} s`;
}

const SHORT_NS = 2e9;

/** A text about a change with at most this many characters fits between the panes' names and the clock. */
const LONGEST_BESIDE = 40;
