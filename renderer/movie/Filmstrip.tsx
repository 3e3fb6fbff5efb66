import {lossNumbered} from '../../app/run/cause/losses.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {isComputedPath} from '../../app/run/scenario/capturedPath.ts';
import {describeRunPath, describeSeed} from '../../app/run/scenario/describe.ts';
import {pathAt} from '../../app/run/scenario/scenario.ts';
import type {Look} from '../../app/telling/movie/options.ts';
import {pageTitle} from '../../app/telling/narration/likeness.ts';
import {CauseText} from '../run/narration/CauseText.tsx';
import {Pane} from '../run/panes/Pane.tsx';
import type {ShownRun} from '../session/loads.ts';
import type {Player} from '../session/player.ts';
import {
  distinguishingWords,
  fromFilesText,
  hasUnknownLosses,
  labelsOf,
  livePathOfPane,
  pageOfPane,
  unalikeOf,
} from '../session/sources.ts';
import {UNTOUCHED} from './Presentation.tsx';

interface FilmstripProps {
  readonly run: ShownRun;
  readonly look: Look;
  readonly eye: Eye | null;
  readonly rows: readonly FilmstripRow[];
}

interface FilmstripRow {
  /** The requested time, ns; it may be after the run's end. */
  readonly tNs: number;
  /** A player at that time, or at the run's end if the run is shorter. */
  readonly player: Player;
}

/**
 * Shows the panes at several times, with one row for each time, like the figures of papers (N07, figures 14 and 15).
 */
export function Filmstrip({run, look, eye, rows}: FilmstripProps) {
  const {page, scenario, traces} = run;
  const shared = {theme: look.theme, isScrolled: look.scroll, ...UNTOUCHED};
  const loss = look.loss === null ? null : lossNumbered(traces, look.loss);
  const {notes} = unalikeOf(run);
  const paths = rows.map(({tNs}) => describeRunPath(scenario, pathAt(scenario, tNs)));
  const isOnePath = notes.length > 0 || new Set(paths).size === 1;
  return (
    <div className="filmstrip">
      <header className="movie-header">
        {notes.length === 0 ? (
          <>
            <strong>{look.pageTitle ?? pageTitle(page)}</strong>
            {isOnePath && <span>{paths[0]}</span>}
            {isComputedPath(scenario.path) && <span>{describeSeed(scenario)}</span>}
          </>
        ) : (
          [fromFilesText(run), ...notes].map(text => <span key={text}>{text}</span>)
        )}
      </header>
      {rows.map(({tNs, player}, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same time may be requested twice
        <div className="filmstrip-row" key={row}>
          {!isOnePath && <p>{paths[row]}</p>}
          <h2>{timeText(tNs)}</h2>
          <div className="panes" data-panes={traces.length}>
            {traces.map((trace, i) => {
              const pane = scenario.panes[i];
              if (pane === undefined) return null;
              const differences = distinguishingWords(run, i);
              const own = {
                trace,
                page: pageOfPane(run, i),
                pane,
                differences,
                areLossesUnknown: hasUnknownLosses(run, i),
                live: livePathOfPane(run, i),
                player,
                eye,
                progress: null,
              };
              const lost = loss?.pane === i ? loss.packet : null;
              // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
              return <Pane key={i} {...own} {...shared} lost={lost} />;
            })}
          </div>
        </div>
      ))}
      {loss !== null && (
        <div className="cause">
          <CauseText run={run} labels={labelsOf(run)} loss={loss} upTo={null} />
        </div>
      )}
    </div>
  );
}

/** A time in seconds, rounded to the millisecond: `7 s`, `0.3 s`. */
function timeText(tNs: number): string {
  return `${Math.round(tNs / 1e6) / 1000} s`;
}
