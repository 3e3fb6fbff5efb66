import type {Look} from '../../app/movie/options.ts';
import {describePath} from '../../app/scenario/describe.ts';
import {Pane} from '../panes/Pane.tsx';
import type {Player} from '../player.ts';
import type {ShownRun} from '../store/loads.ts';
import {UNTOUCHED} from './Presentation.tsx';

interface FilmstripProps {
  readonly run: ShownRun;
  readonly look: Look;
  /** One for each time, which stands at it. */
  readonly players: readonly Player[];
}

/** The panes at some times, a row for each: like the papers' figures (N07, figures 14 and 15). */
export function Filmstrip({run, look, players}: FilmstripProps) {
  const shared = {theme: look.theme, ...UNTOUCHED};
  return (
    <div className="filmstrip">
      <header className="movie-header">
        <strong>{run.page.name}</strong>
        <span>{describePath(run.scenario.path)}</span>
        <span>seed {run.scenario.seed}</span>
      </header>
      {players.map(player => (
        <div className="filmstrip-row" key={player.tNs}>
          <h2>{player.tNs / 1e9} s</h2>
          <div className="panes" data-panes={run.traces.length}>
            {run.traces.map((trace, i) => {
              const pane = run.scenario.panes[i];
              if (pane === undefined) return null;
              // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
              return <Pane key={i} trace={trace} page={run.page} pane={pane} player={player} {...shared} />;
            })}
          </div>
        </div>
      ))}
    </div>
  );
}
