import {useEffect, useMemo, useRef} from 'react';
import {captionAt, captionsOf} from '../../app/movie/captions.ts';
import type {Look} from '../../app/movie/options.ts';
import {describePath} from '../../app/scenario/describe.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {paneLabel} from '../metrics/HonestyLine.tsx';
import {Pane} from '../panes/Pane.tsx';
import type {Player} from '../player.ts';
import type {ShownRun} from '../store/loads.ts';
import {Timeline} from '../timeline/Timeline.tsx';

export interface PresentationProps {
  readonly run: ShownRun;
  readonly look: Look;
  readonly player: Player;
  /** Run time per time of who watches: a caption stays as long at any speed. */
  readonly speed: number;
}

/** The run as a movie shows it: panes with captions, timeline. Nothing to press or to point at. */
export function Presentation({run, look, player, speed}: PresentationProps) {
  const panes = useMemo(() => timelinePanes(run), [run]);
  const changesNs = useMemo(() => run.scenario.changes.map(change => change.atMs * 1e6), [run]);
  const shared = {player, theme: look.theme, ...UNTOUCHED};
  return (
    <div className="movie">
      <header className="movie-header">
        <strong>{run.page.name}</strong>
        <span>{describePath(run.scenario.path)}</span>
        <span>seed {run.scenario.seed}</span>
        <Clock player={player} />
      </header>
      <div className="panes" data-panes={panes.length}>
        {run.traces.map((trace, i) => {
          const pane = run.scenario.panes[i];
          if (pane === undefined) return null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
            <div className="movie-pane" key={i}>
              <Pane trace={trace} page={run.page} pane={pane} {...shared} />
              {look.captions && (
                <Captions trace={trace} scenario={run.scenario} player={player} speed={speed} />
              )}
            </div>
          );
        })}
      </div>
      <Timeline panes={panes} view={look.timeline} layout="stacked" changesNs={changesNs} {...shared} />
    </div>
  );
}

/** What the timeline draws of a run. */
export function timelinePanes({metrics, traces, scenario}: ShownRun) {
  return metrics.flatMap((each, i) => {
    const trace = traces[i];
    return trace === undefined ? [] : [{trace, metrics: each, label: paneLabel(scenario.panes[i])}];
  });
}

/** Nobody points at a movie. */
export const UNTOUCHED = {
  hovered: new Set<number>(),
  selected: null,
  zoom: null,
  onHover: ignore,
  onSelect: ignore,
  onZoom: ignore,
};

function ignore(): void {}

function Clock({player}: {readonly player: Player}) {
  const time = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      player.onTime(tNs => {
        if (time.current !== null) time.current.textContent = `t = ${(tNs / 1e9).toFixed(2)} s`;
      }),
    [player],
  );
  return <span className="movie-clock" ref={time} />;
}

interface CaptionsProps {
  readonly trace: Trace;
  readonly scenario: Scenario;
  readonly player: Player;
  readonly speed: number;
}

function Captions({trace, scenario, player, speed}: CaptionsProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const captions = captionsOf(trace, scenario);
    return player.onTime(tNs => {
      const caption = captionAt(captions, tNs, LINGER_NS * speed);
      if (line.current !== null) line.current.textContent = caption?.text ?? '';
    });
  }, [trace, scenario, player, speed]);
  return <p className="movie-caption" ref={line} />;
}

/** As long as a line takes to read, ns of the movie. */
const LINGER_NS = 2e9;
