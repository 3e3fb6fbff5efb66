import {useEffect, useMemo, useRef} from 'react';
import {captionLine, captionsOf, changeCaptions} from '../../app/movie/captions.ts';
import type {Look} from '../../app/movie/options.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {describePath, describeSeed} from '../../app/scenario/describe.ts';
import {pathAt} from '../../app/scenario/scenario.ts';
import {decodeToPixels} from '../panes/objectImage.ts';
import {Pane} from '../panes/Pane.tsx';
import {differencesOf, paneLabels} from '../panes/paneLabels.ts';
import type {Player} from '../player.ts';
import type {ShownRun} from '../store/loads.ts';
import {Timeline} from '../timeline/Timeline.tsx';
import {viewOf} from '../timeline/viewOf.ts';

export interface PresentationProps {
  readonly run: ShownRun;
  readonly look: Look;
  /** What is to be seen of the page; null if it is not measured. */
  readonly eye: Eye | null;
  readonly player: Player;
  /** Run time per time of who watches: a caption stays as long at any speed. */
  readonly speed: number;
}

/** The run as a movie shows it: panes with captions, timeline. Nothing to press or to point at. */
export function Presentation({run, look, eye, player, speed}: PresentationProps) {
  const panes = useMemo(() => timelinePanes(run), [run]);
  const changes = useMemo(() => changeCaptions(run.scenario), [run]);
  const pathText = useMemo(() => (tNs: number) => describePath(pathAt(run.scenario, tNs)), [run]);
  const captions = useMemo(() => {
    const lingerNs = LINGER_NS * speed;
    const changes = captionLine(changeCaptions(run.scenario), lingerNs);
    return {changes, panes: run.traces.map(trace => captionLine(captionsOf(trace, eye), lingerNs))};
  }, [run, eye, speed]);
  const shared = {player, theme: look.theme, ...UNTOUCHED};
  return (
    <div className="movie" data-panes={panes.length} data-timeline={viewOf(look.timeline).height}>
      <header className="movie-header">
        <strong>{run.page.name}</strong>
        <TextAt player={player} text={pathText} className="movie-path" />
        <span>{describeSeed(run.scenario)}</span>
        {look.captions && <TextAt player={player} text={captions.changes} className="movie-change" />}
        <TextAt player={player} text={clockText} className="movie-clock" />
      </header>
      <div className="panes" data-panes={panes.length}>
        {run.traces.map((trace, i) => {
          const pane = run.scenario.panes[i];
          if (pane === undefined) return null;
          const differences = differencesOf(pane, run.scenario.panes);
          const own = {trace, page: run.page, pane, differences, eye, progress: null};
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
            <div className="movie-pane" key={i}>
              <Pane {...own} {...shared} />
              {look.captions && captions.panes[i] !== undefined && (
                <TextAt player={player} text={captions.panes[i]} className="movie-caption" />
              )}
            </div>
          );
        })}
      </div>
      <Timeline
        {...{panes, eye, changes}}
        view={look.timeline}
        axis={look.axis}
        layout="stacked"
        {...shared}
      />
    </div>
  );
}

/** What the timeline draws of a run. */
export function timelinePanes({metrics, traces, scenario}: ShownRun) {
  const labels = paneLabels(scenario.panes);
  return metrics.flatMap((each, i) => {
    const trace = traces[i];
    return trace === undefined ? [] : [{trace, metrics: each, label: labels[i] ?? ''}];
  });
}

/** Nobody points at a movie, and its pictures are the same each time. */
export const UNTOUCHED = {
  hovered: new Set<number>(),
  selected: null,
  chosenLoss: null,
  cause: null,
  zoom: null,
  onHover: ignore,
  onSelect: ignore,
  onChooseLoss: ignore,
  onZoom: ignore,
  decode: decodeToPixels,
};

function ignore(): void {}

interface TextAtProps {
  readonly player: Player;
  /** What it says at t (ns). */
  readonly text: (tNs: number) => string;
  readonly className?: string | undefined;
}

function TextAt({player, text, className}: TextAtProps) {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      player.onTime(tNs => {
        if (line.current !== null) line.current.textContent = text(tNs);
      }),
    [player, text],
  );
  return <span className={className} ref={line} />;
}

function clockText(tNs: number): string {
  return `t = ${(tNs / 1e9).toFixed(2)} s`;
}

/** As long as a line takes to read, ns of the movie. */
const LINGER_NS = 2e9;
