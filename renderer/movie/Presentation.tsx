import {useMemo} from 'react';
import {lossNumbered} from '../../app/run/cause/losses.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import type {Look} from '../../app/telling/movie/options.ts';
import {CaptionedPane} from '../run/narration/CaptionedPane.tsx';
import {CauseText} from '../run/narration/CauseText.tsx';
import {Heading} from '../run/narration/Heading.tsx';
import {Legend} from '../run/narration/Legend.tsx';
import {Sentence} from '../run/narration/Sentence.tsx';
import {useCaptionLines} from '../run/narration/useCaptionLines.ts';
import {decodeToPixels} from '../run/panes/decodePicture.ts';
import {Pane} from '../run/panes/Pane.tsx';
import {Timeline} from '../run/timeline/Timeline.tsx';
import {timelinePanes} from '../run/timeline/timelinePanes.ts';
import {viewOf} from '../run/timeline/viewOf.ts';
import type {Hovered} from '../session/hovered.ts';
import type {ShownRun} from '../session/loads.ts';
import type {Player} from '../session/player.ts';
import {
  capacityOf,
  changesOf,
  distinguishingWords,
  hasUnknownLosses,
  labelsOf,
  livePathOfPane,
  pageOfPane,
} from '../session/sources.ts';
import type {TimeWindow} from '../session/zoom.ts';

export interface PresentationProps {
  readonly run: ShownRun;
  readonly look: Look;
  /** The measured quality of the page; null if the page is not measured. */
  readonly eye: Eye | null;
  readonly player: Player;
  /** Run time per wall time. Captions need it, because they stay for the same wall time at any speed. */
  readonly speed: number;
  /** The layout, the zoom and the highlighted objects of a story's step. By default nothing is highlighted. */
  readonly pointed?: Pointed;
}

/** What a step of a story sets. In the window, a user could set the same. */
export interface Pointed {
  readonly layout: 'stacked' | 'overlaid';
  readonly zoom: TimeWindow | null;
  readonly hovered: Hovered;
}

/** Shows a run for movies and stills, as presenter mode shows it: panes with captions, and the timeline. */
export function Presentation({run, look, eye, player, speed, pointed = UNPOINTED}: PresentationProps) {
  const panes = useMemo(() => timelinePanes(run), [run]);
  const [changes, capacity] = useMemo(() => [changesOf(run), capacityOf(run)] as const, [run]);
  const captions = useCaptionLines(run, eye, speed);
  const {layout, ...pointedAt} = pointed;
  const chosenLoss = useMemo(() => (look.loss === null ? null : lossNumbered(run.traces, look.loss)), [run, look.loss]);
  const shared = {player, theme: look.theme, ...UNTOUCHED, ...pointedAt, chosenLoss};
  return (
    <div className="movie" data-panes={panes.length} data-timeline={viewOf(look.timeline).height}>
      <Heading
        run={run}
        eye={eye}
        player={player}
        speed={speed}
        title={look.pageTitle}
        change={look.captions ? captions.changes : undefined}
      />
      <div className="panes" data-panes={panes.length}>
        {run.traces.map((trace, i) => {
          const pane = run.scenario.panes[i];
          if (pane === undefined) return null;
          const differences = distinguishingWords(run, i);
          const lost = chosenLoss?.pane === i ? chosenLoss.packet : null;
          const areLossesUnknown = hasUnknownLosses(run, i);
          const own = {
            trace,
            page: pageOfPane(run, i),
            pane,
            differences,
            areLossesUnknown,
            live: livePathOfPane(run, i),
            eye,
            progress: null,
          };
          const caption = look.captions ? captions.panes[i] : undefined;
          const isWide = run.traces.length < 3;
          const captioned = {player, trace, eye, areLossesUnknown, hasStatusLines: look.captions, isWide, caption};
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
            <CaptionedPane key={i} {...captioned}>
              <Pane {...own} {...shared} lost={lost} showsWaiting={look.waiting} />
            </CaptionedPane>
          );
        })}
      </div>
      <Timeline
        panes={panes}
        eye={eye}
        changes={changes}
        capacity={capacity}
        layout={layout}
        view={look.timeline}
        axis={look.axis}
        isUpToT={look.reveal}
        {...shared}
      />
      {chosenLoss !== null && (
        <div className="cause">
          <CauseText run={run} labels={labelsOf(run)} loss={chosenLoss} upTo={look.reveal ? player : null} />
        </div>
      )}
      <Legend
        page={run.page}
        panes={panes}
        layout={layout}
        eye={eye}
        view={look.timeline}
        axis={look.axis}
        theme={look.theme}
      />
      {look.captions && <Sentence run={run} player={player} eye={eye} isUpToT={look.reveal} />}
    </div>
  );
}

/**
 * Props of a pane and a timeline without a user: nothing is selected. Pictures are decoded so that every recording has
 * the same pixels.
 */
export const UNTOUCHED = {
  hovered: new Set<number>(),
  selected: null,
  chosenLoss: null,
  chosenPacket: null,
  zoom: null,
  onHover: ignore,
  onSelect: ignore,
  onChooseLoss: ignore,
  onChoosePacket: ignore,
  onZoom: ignore,
  decode: decodeToPixels,
};

const UNPOINTED: Pointed = {layout: 'stacked', zoom: null, hovered: UNTOUCHED.hovered};

function ignore(): void {}
