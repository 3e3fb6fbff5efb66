import {lazy, Suspense, useEffect, useMemo} from 'react';
import {FIRST_DEMO} from '../../app/run/scenario/presets.ts';
import type {Prediction} from '../../app/study/model/prediction.ts';
import {AdviceDialog} from '../features/advice/AdviceDialog.tsx';
import {LeftOutDialog} from '../features/opening/LeftOutDialog.tsx';
import {OpenDialog} from '../features/opening/OpenDialog.tsx';
import {TraceFilePanes} from '../features/opening/TraceFilePanes.tsx';
import {timelinePanes} from '../features/recording/Presentation.tsx';
import {RecordDialog} from '../features/recording/RecordDialog.tsx';
import {StageCards} from '../features/recording/StageCards.tsx';
import {SeedsPanel} from '../features/seeds/SeedsPanel.tsx';
import {ChangeList} from '../features/settings/Changes.tsx';
import {PaneSettings} from '../features/settings/PaneSettings.tsx';
import {PathSettings} from '../features/settings/PathSettings.tsx';
import {QualitySettings} from '../features/settings/QualitySettings.tsx';
import {RunFiles} from '../features/settings/RunFiles.tsx';
import {LoadingSettings, RunSettings} from '../features/settings/RunSettings.tsx';
import {useStandingOut, useTeller} from '../features/story/hooks.ts';
import {StoriesDialog} from '../features/story/StoriesDialog.tsx';
import {StoryBar} from '../features/story/StoryBar.tsx';
import {StoryPanel} from '../features/story/StoryPanel.tsx';
import type {Theme} from '../kit/objectColours.ts';
import {Section} from '../kit/Section.tsx';
import {HonestyLine} from '../run/metrics/HonestyLine.tsx';
import {MetricsTable} from '../run/metrics/MetricsTable.tsx';
import {ObjectsTable} from '../run/metrics/ObjectsTable.tsx';
import {PicturesTable} from '../run/metrics/PicturesTable.tsx';
import {CaptionedPane} from '../run/narration/CaptionedPane.tsx';
import {CauseLine} from '../run/narration/CauseText.tsx';
import {Heading} from '../run/narration/Heading.tsx';
import {Legend} from '../run/narration/Legend.tsx';
import {Sentence} from '../run/narration/Sentence.tsx';
import {useCaptionLines} from '../run/narration/useCaptionLines.ts';
import {PacketPanel} from '../run/packets/PacketPanel.tsx';
import {Pane} from '../run/panes/Pane.tsx';
import {QualityDialog} from '../run/quality/QualityDialog.tsx';
import {withPredictions} from '../run/timeline/drawPrediction.ts';
import {Timeline} from '../run/timeline/Timeline.tsx';
import {viewOf} from '../run/timeline/viewOf.ts';
import {useEye, usePlayerState, useSession, useSessionState} from '../session/context.ts';
import type {ShownRun} from '../session/loads.ts';
import {changesOf, labelsOf, livePathOfPane, pageOfPane, predictionsOf, tellingWords} from '../session/sources.ts';
import {stageOf} from '../session/view.ts';
import {Boundary} from './Boundary.tsx';
import {Help} from './help/Help.tsx';
import {useDrop, useKeys, usePaste, useTheme} from './hooks.ts';
import {Notices} from './Notices.tsx';
import {usePresenting} from './presenting.ts';
import {TimelineBar} from './TimelineBar.tsx';
import {Toolbar} from './Toolbar.tsx';
import {Transport} from './Transport.tsx';
import './window.css';
import '../features/settings/settings.css';

/** The window. */
export function App() {
  const session = useSession();
  const run = useSessionState(state => state.run);
  const remedy = {
    label: 'Open the first demo',
    act: () => session.openDocument({name: FIRST_DEMO, text: FIRST_DEMO}),
  };
  return (
    <Boundary region="the window" shown={[run]} remedy={remedy}>
      <Regions />
    </Boundary>
  );
}

/** Panes, playing, timeline; settings and metrics beside them. Each is kept from the errors of the others. */
function Regions() {
  const session = useSession();
  const run = useSessionState(state => state.run);
  const view = useSessionState(state => state.view);
  const theme = useTheme(view.theme);
  useKeys(session);
  useDrop(session);
  usePaste(session);
  usePresenting(session, view.isPresenting);
  const eye = useEye();
  const labels = useMemo(() => (run === null ? [] : labelsOf(run)), [run]);
  const predictions = useMemo(() => (run === null ? [] : predictionsOf(run)), [run]);
  return (
    <div className={`window${view.isPresenting ? ' presenting' : ''}`}>
      {ABOVE}
      <main className="stage" data-timeline={viewOf(view.timeline).height}>
        {run !== null && (
          <Boundary region="the run" shown={[run]}>
            <Stage run={run} labels={labels} theme={theme} predictions={predictions} />
          </Boundary>
        )}
      </main>
      {view.areControlsOpen && (
        <aside className="side" aria-label="settings and metrics">
          <SideSettings />
          {run !== null && (
            <Section name="metrics" title="Metrics">
              <Boundary region="the metrics" shown={[run, eye]}>
                <MetricsTable run={run} eye={eye} labels={labels} predictions={predictions} />
              </Boundary>
            </Section>
          )}
          {run !== null && (
            <Section name="objects" title="Objects">
              <Boundary region="the objects" shown={[run]}>
                <ObjectsTable run={run} theme={theme} />
                <PicturesTable run={run} theme={theme} />
              </Boundary>
            </Section>
          )}
          {run !== null && (
            <Boundary region="the run’s files" shown={[run]}>
              <RunFiles run={run} labels={labels} />
            </Boundary>
          )}
        </aside>
      )}
      {view.isBlank && <div className="blank" />}
      <div className="dialogs">
        <Boundary region="the measured quality" shown={[run]}>
          <QualityDialog theme={theme} />
        </Boundary>
        <Boundary region="the advice" shown={[run]}>
          <AdviceDialog theme={theme} />
        </Boundary>
        {DIALOGS}
      </div>
    </div>
  );
}

/** With what draws figures: nobody waits for that before it is wanted. */
const ExperimentPanel = lazy(async () => {
  const {ExperimentPanel: own} = await import('../features/experiments/ExperimentPanel.tsx');
  return {default: own};
});

/** Marks the document while the run on screen is not the scenario's. Apart, so that nothing else renders for it. */
function DocumentState() {
  const isShown = useSessionState(state => state.run !== null && !state.isComputing);
  useEffect(() => {
    document.documentElement.dataset['state'] = isShown ? 'ready' : 'loading';
  }, [isShown]);
  return null;
}

// Elements that are made once: a new run renders nothing of what only the session's state changes.

const ABOVE = (
  <>
    <DocumentState />
    <Boundary region="the toolbar">
      <Toolbar />
    </Boundary>
    <Boundary region="the notices">
      <Notices />
    </Boundary>
    <Boundary region="the story">
      <StoryBar />
      <StoryPanel />
    </Boundary>
  </>
);

const SETTINGS = (
  <>
    <Boundary region="the run’s settings">
      <RunSettings />
    </Boundary>
    <Boundary region="the path’s settings">
      <PathSettings />
      {/* not in the path's fieldset: Chromium lays that out anew when something comes into it, and ends the drag */}
      <ChangeList />
    </Boundary>
    <Boundary region="the panes’ settings">
      <PaneSettings />
    </Boundary>
    <Boundary region="the settings of loading and quality">
      <LoadingSettings />
      <QualitySettings />
    </Boundary>
  </>
);

/** Of what is computed; what trace files have happened, and are chosen from. */
function SideSettings() {
  const session = useSession();
  const traces = useSessionState(state => session.traces.panesOf(state.scenario));
  if (traces === undefined) return SETTINGS;
  return (
    <Boundary region="the trace files" shown={[traces]}>
      <TraceFilePanes traces={traces} />
    </Boundary>
  );
}

const TRANSPORT = (
  <div className="transport">
    <Boundary region="the buttons of playing">
      <Transport />
    </Boundary>
    <Boundary region="the timeline’s buttons">
      <TimelineBar />
    </Boundary>
  </div>
);

const DIALOGS = (
  <>
    <Boundary region="the help">
      <Help />
    </Boundary>
    <Boundary region="the recording">
      <RecordDialog />
    </Boundary>
    <Boundary region="the stories">
      <StoriesDialog />
    </Boundary>
    <Boundary region="what can be opened">
      <OpenDialog />
    </Boundary>
    <Boundary region="what was left out">
      <LeftOutDialog />
    </Boundary>
  </>
);

interface StageProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
  readonly theme: Theme;
  readonly predictions: readonly Prediction[];
}

function Stage({run, labels, theme, predictions}: StageProps) {
  const session = useSession();
  const {player} = session;
  const {hover, select} = session.chosen;
  const {speed} = usePlayerState();
  const hovered = useStandingOut();
  const isTold = useTeller(state => state.story !== null);
  const selected = useSessionState(state => state.selected);
  const chosenLoss = useSessionState(state => state.chosenLoss);
  const chosenPacket = useSessionState(state => state.chosenPacket);
  const view = useSessionState(state => state.view);
  const before = useSessionState(state => state.before);
  const eye = useEye();
  const progress = useSessionState(state => state.qualityProgress);
  const {timeline, axis, layout, zoom, panel, isPresenting} = view;
  const {isUpToT, hasGhost, isAxisLocked, hasCaptions, hasModel} = stageOf(view);
  const captions = useCaptionLines(run, eye, speed);
  const ghost = hasGhost ? before : null;
  const panes = useMemo(() => {
    const plain = timelinePanes(run, ghost);
    return hasModel ? withPredictions(plain, predictions) : plain;
  }, [run, ghost, hasModel, predictions]);
  const leastEndNs = useMemo(() => {
    const predictedNs = panes.map(pane => pane.predictedNs ?? 0);
    return Math.max(isAxisLocked && before !== null ? endOf(before) : 0, ...predictedNs);
  }, [isAxisLocked, before, panes]);
  const changes = useMemo(() => changesOf(run), [run]);
  const shared = {player, theme, hovered, selected, onHover: hover, onSelect: select};
  return (
    <>
      {isPresenting && (
        <Boundary region="the heading" shown={[run, eye]}>
          <Heading run={run} eye={eye} player={player} speed={speed} change={captions.changes} />
        </Boundary>
      )}
      <div className="panes" data-panes={run.traces.length}>
        {run.scenario.panes.map((pane, i) => {
          const trace = run.traces[i];
          if (trace === undefined) return null;
          const differences = tellingWords(run, i);
          const own = {trace, page: pageOfPane(run, i), pane, differences, eye, progress};
          const live = livePathOfPane(run, i);
          const lost = chosenLoss?.pane === i ? chosenLoss.packet : null;
          const caption = hasCaptions ? captions.panes[i] : undefined;
          const isWide = run.traces.length < 3;
          const told = {
            player,
            trace,
            eye,
            isLive: live !== undefined,
            isTold: isPresenting,
            isWide,
            caption,
          };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
            <Boundary key={i} region={`pane ${i + 1}`} shown={[run, eye, lost]}>
              <CaptionedPane {...told}>
                <Pane {...own} {...shared} lost={lost} live={live} />
              </CaptionedPane>
            </Boundary>
          );
        })}
      </div>
      {TRANSPORT}
      {panel === 'seeds' && (
        <Boundary region="the seeds" shown={[run]}>
          <SeedsPanel run={run} theme={theme} />
        </Boundary>
      )}
      {panel === 'experiment' && (
        <Boundary region="the experiment" shown={[run]}>
          <Suspense fallback={<section className="experiment" />}>
            <ExperimentPanel run={run} theme={theme} />
          </Suspense>
        </Boundary>
      )}
      {panel === null && (
        <Boundary region="the timeline" shown={[panes, timeline, axis, eye, layout, zoom]}>
          <Timeline
            panes={panes}
            view={timeline}
            axis={axis}
            eye={eye}
            layout={layout}
            zoom={zoom}
            onZoom={zoom => session.display.set({zoom})}
            changes={changes}
            isUpToT={isUpToT}
            leastEndNs={leastEndNs}
            chosenLoss={chosenLoss}
            onChooseLoss={session.chosen.explainLoss}
            chosenPacket={chosenPacket}
            onChoosePacket={session.chosen.choosePacket}
            {...shared}
          />
        </Boundary>
      )}
      <Boundary region="what the loss did" shown={[run, chosenLoss]}>
        <CauseLine run={run} labels={labels} />
      </Boundary>
      <Boundary region="the packet" shown={[run, chosenPacket]}>
        <PacketPanel run={run} labels={labels} />
      </Boundary>
      {isPresenting ? (
        <Boundary region="the words of the stage" shown={[run, eye, timeline, axis, layout]}>
          <Legend page={run.page} panes={panes} axis={axis} layout={layout} theme={theme} eye={eye} view={timeline} />
          <Sentence run={run} player={player} eye={eye} isUpToT={isUpToT} />
          {isTold || <StageCards run={run} eye={eye} />}
        </Boundary>
      ) : (
        <Boundary region="the line of seeds" shown={[run]}>
          <HonestyLine run={run} labels={labels} />
        </Boundary>
      )}
    </>
  );
}

function endOf(run: ShownRun): number {
  return Math.max(...run.traces.map(trace => trace.data.endNs));
}
