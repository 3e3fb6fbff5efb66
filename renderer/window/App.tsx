import './window.css';
import {type CSSProperties, useEffect, useMemo} from 'react';
import {FIRST_DEMO} from '../../app/run/scenario/presets.ts';
import {runEndNs} from '../../app/run/trace/trace.ts';
import type {Prediction} from '../../app/study/model/prediction.ts';
import type {TimelineName} from '../../app/telling/movie/options.ts';
import {CommandsContext, type Feature, FeaturesContext, type SidePart, useFeatures} from '../features/feature.ts';
import type {Theme} from '../kit/objectColours.ts';
import {Section} from '../kit/Section.tsx';
import {useTheme} from '../kit/useTheme.ts';
import {StageCards} from '../movie/StageCards.tsx';
import {MetricsTable} from '../run/metrics/MetricsTable.tsx';
import {ObjectsTable} from '../run/metrics/ObjectsTable.tsx';
import {PicturesTable} from '../run/metrics/PicturesTable.tsx';
import {CaptionedPane} from '../run/narration/CaptionedPane.tsx';
import {Heading} from '../run/narration/Heading.tsx';
import {Legend} from '../run/narration/Legend.tsx';
import {Lesson} from '../run/narration/Lesson.tsx';
import {PicturesNow} from '../run/narration/PicturesNow.tsx';
import {Sentence} from '../run/narration/Sentence.tsx';
import {useCaptionLines} from '../run/narration/useCaptionLines.ts';
import {WhatIf} from '../run/packets/WhatIf.tsx';
import {Pane} from '../run/panes/Pane.tsx';
import {LEAST_PAGE_SHARE, LEAST_PRESENTED_SHARE} from '../run/panes/pageFit.ts';
import {withPredictions} from '../run/timeline/drawPrediction.ts';
import {RIGHT_EM} from '../run/timeline/measures.ts';
import {LEAST_PLOT_PX} from '../run/timeline/plots.ts';
import {Timeline} from '../run/timeline/Timeline.tsx';
import {foldedPanes, timelinePanes} from '../run/timeline/timelinePanes.ts';
import {viewOf} from '../run/timeline/viewOf.ts';
import {useEye, useHighlighted, usePlayerState, useSession, useSessionState} from '../session/context.tsx';
import type {ShownRun} from '../session/loads.ts';
import type {Session} from '../session/session.ts';
import {
  capacityOf,
  changesOf,
  distinguishingWords,
  hasUnknownLosses,
  labelsOf,
  livePathOfPane,
  pageOfPane,
  predictionsOf,
  unalikeOf,
} from '../session/sources.ts';
import {stageOf} from '../session/viewSettings.ts';
import {wholeRun} from '../session/zoom.ts';
import {Boundary} from './Boundary.tsx';
import {commandsOf} from './commands.ts';
import {Drawer} from './Drawer.tsx';
import {Help} from './help/Help.tsx';
import {useDrop, useKeys, usePaste} from './hooks.ts';
import {shortcutsOf} from './keyboard.ts';
import {Notices} from './Notices.tsx';
import {usePresenting} from './presenting.ts';
import {StageArea} from './StageArea.tsx';
import {TimelineBar} from './TimelineBar.tsx';
import {Toolbar} from './Toolbar.tsx';
import {Transport} from './Transport.tsx';

/** The whole window, with these features. */
export function App({features}: {readonly features: readonly Feature[]}) {
  const {documents} = useSession();
  const run = useSessionState(state => state.run);
  const remedy = {
    label: 'Open the first demo',
    act: () => documents.open({name: FIRST_DEMO, text: FIRST_DEMO}),
  };
  const commands = useMemo(() => {
    const shortcuts = shortcutsOf(features);
    return (session: Session) => commandsOf(session, features, shortcuts);
  }, [features]);
  return (
    <FeaturesContext value={features}>
      <CommandsContext value={commands}>
        <Boundary region="the window" shown={[run]} remedy={remedy}>
          <Regions />
        </Boundary>
      </CommandsContext>
    </FeaturesContext>
  );
}

/**
 * The regions of the window: panes, transport buttons and timeline, with settings and metrics at the side. An error in
 * one region does not affect the others.
 */
function Regions() {
  const session = useSession();
  const features = useFeatures();
  const shortcuts = useMemo(() => shortcutsOf(features), [features]);
  const run = useSessionState(state => state.run);
  const view = useSessionState(state => state.view);
  const theme = useTheme(view.theme);
  useKeys(session, shortcuts);
  useDrop(session, features);
  usePaste(session, features);
  usePresenting(session, view.isPresenting, shortcuts);
  const eye = useEye();
  const labels = useMemo(() => (run === null ? [] : labelsOf(run)), [run]);
  const predictions = useMemo(() => (run === null ? [] : predictionsOf(run)), [run]);
  return (
    <div className={`window${view.isPresenting ? ' presenting' : ''}`}>
      {ABOVE}
      {run !== null && (
        <Boundary region="the sentence" shown={[run, eye]}>
          <Lesson run={run} />
        </Boundary>
      )}
      <StageArea run={run}>
        {run !== null && (
          <Boundary region="the run" shown={[run]}>
            <Stage run={run} labels={labels} theme={theme} predictions={predictions} />
          </Boundary>
        )}
      </StageArea>
      {view.areControlsOpen && (
        <aside className="side" aria-label="settings and metrics">
          {SETTINGS}
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
          {FILES}
        </aside>
      )}
      {view.isBlank && <div className="blank" />}
      <Dialogs theme={theme} />
    </div>
  );
}

/**
 * Sets `data-state` of the document element: `ready` if the run of the current scenario is on screen, otherwise
 * `loading`. This is a separate component, so that a change of the state renders nothing else.
 */
function DocumentState() {
  const isShown = useSessionState(state => state.run !== null && !state.isComputing);
  useEffect(() => {
    document.documentElement.dataset['state'] = isShown ? 'ready' : 'loading';
  }, [isShown]);
  return null;
}

/** The bars of features, between the notices and the run. */
function Bars() {
  return useFeatures().map(({name, bar}) => {
    if (bar === undefined) return null;
    return (
      <Boundary key={name} region={bar.region}>
        <bar.View />
      </Boundary>
    );
  });
}

/** The settings. For trace files, whose settings cannot be changed, it lists the panes instead. */
function Settings() {
  const {traces} = useSession();
  const shown = useSessionState(({scenario}) => traces.panesOf(scenario));
  return <SideParts place={shown === undefined ? 'settings' : 'trace files'} />;
}

function Files() {
  const hasRun = useSessionState(({run}) => run !== null);
  return hasRun && <SideParts place="files" />;
}

/** The parts of features at one place of the side. A part that failed is rendered again for the next run. */
function SideParts({place}: Pick<SidePart, 'place'>) {
  const features = useFeatures();
  const parts = useMemo(() => {
    const all = features.flatMap(({side = []}) => side);
    return all.filter(part => part.place === place).map(({region, View}) => ({region, element: <View />}));
  }, [features, place]);
  const run = useSessionState(state => state.run);
  return parts.map(({region, element}) => (
    <Boundary key={region} region={region} shown={[run]}>
      {element}
    </Boundary>
  ));
}

/** The help, and the dialogs of features. A feature's dialog that failed is rendered again for the next run. */
function Dialogs({theme}: {readonly theme: Theme}) {
  const features = useFeatures();
  const parts = useMemo(() => {
    const all = features.flatMap(({dialogs = []}) => dialogs);
    return all.map(({region, View}) => ({region, element: <View theme={theme} />}));
  }, [features, theme]);
  const run = useSessionState(state => state.run);
  return (
    <div className="dialogs">
      <Boundary region="the help">
        <Help />
      </Boundary>
      {parts.map(({region, element}) => (
        <Boundary key={region} region={region} shown={[run]}>
          {element}
        </Boundary>
      ))}
    </div>
  );
}

// These elements are created once, so that a new run does not render elements that do not depend on it.

const ABOVE = (
  <>
    <DocumentState />
    <Boundary region="the toolbar">
      <Toolbar />
    </Boundary>
    <Boundary region="the notices">
      <Notices />
    </Boundary>
    <Bars />
  </>
);

const SETTINGS = <Settings />;
const FILES = <Files />;

const TRANSPORT = (
  <>
    <Boundary region="the buttons of playing">
      <Transport />
    </Boundary>
    <Boundary region="the timeline’s buttons">
      <TimelineBar />
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
  const features = useFeatures();
  const {player} = session;
  const {hover, select} = session.highlights;
  const {speed} = usePlayerState();
  const hovered = useHighlighted();
  const isStoryShown = useSessionState(state => state.story !== null);
  const selected = useSessionState(state => state.selected);
  const chosenLoss = useSessionState(state => state.chosenLoss);
  const chosenPacket = useSessionState(state => state.chosenPacket);
  const view = useSessionState(state => state.view);
  const before = useSessionState(state => state.before);
  const eye = useEye();
  const progress = useSessionState(state => state.qualityProgress);
  const {timeline, axis, layout, zoom, panel, isPresenting, foldedPanes: folded} = view;
  const {isUpToT, hasGhost, isAxisLocked, hasCaptions, hasModel, freezesAtLosses} = stageOf(view);
  const open = features.find(({name}) => name === panel)?.panel;
  const captions = useCaptionLines(run, eye, speed);
  const ghost = hasGhost ? before : null;
  const panes = useMemo(() => {
    const plain = foldedPanes(timelinePanes(run, ghost), isPresenting ? [] : folded);
    return hasModel ? withPredictions(plain, predictions) : plain;
  }, [run, ghost, hasModel, predictions, folded, isPresenting]);
  const leastEndNs = useMemo(() => {
    const predictedNs = panes.map(pane => pane.predictedNs ?? 0);
    return Math.max(isAxisLocked && before !== null ? endOf(before) : 0, ...predictedNs);
  }, [isAxisLocked, before, panes]);
  const [changes, capacity] = useMemo(() => [changesOf(run), capacityOf(run)] as const, [run]);
  const isOnePage = !unalikeOf(run).page;
  const shared = {player, theme, hovered, selected, onHover: hover, onSelect: select};
  return (
    <>
      {isPresenting && (
        <Boundary region="the heading" shown={[run, eye]}>
          <Heading run={run} eye={eye} player={player} speed={speed} change={captions.changes} />
        </Boundary>
      )}
      {isPresenting || <h1 className="for-readers">{labels.join(' against ')}</h1>}
      <div className="panes" data-panes={run.traces.length}>
        {run.scenario.panes.map((pane, i) => {
          const trace = run.traces[i];
          if (trace === undefined) return null;
          const differences = distinguishingWords(run, i);
          const title = labels[i] ?? '';
          const areLossesUnknown = hasUnknownLosses(run, i);
          const own = {trace, page: pageOfPane(run, i), pane, title, differences, areLossesUnknown, eye, progress};
          const live = livePathOfPane(run, i);
          const lost = chosenLoss?.pane === i ? chosenLoss.packet : null;
          const caption = hasCaptions ? captions.panes[i] : undefined;
          const isWide = run.traces.length < 3;
          const captioned = {
            player,
            trace,
            eye,
            areLossesUnknown,
            hasStatusLines: isPresenting,
            isWide,
            caption,
          };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
            <Boundary key={i} region={`pane ${i + 1}`} shown={[run, eye, lost]}>
              <CaptionedPane {...captioned}>
                <Pane
                  {...own}
                  {...shared}
                  lost={lost}
                  live={live}
                  leastPageShare={isPresenting ? LEAST_PRESENTED_SHARE : LEAST_PAGE_SHARE}
                  {...(isOnePage ? {together: run.traces} : {})}
                  showsWaiting={freezesAtLosses}
                />
                <PicturesNow trace={trace} eye={eye} player={player} title={title} />
              </CaptionedPane>
            </Boundary>
          );
        })}
      </div>
      <div className="transport" style={timelineAxis(timeline, run, leastEndNs)}>
        {TRANSPORT}
      </div>
      {open !== undefined && (
        <Boundary key={panel} region={open.region} shown={[run]}>
          <open.View run={run} theme={theme} />
        </Boundary>
      )}
      {open === undefined && (
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
            capacity={capacity}
            isUpToT={isUpToT}
            leastEndNs={leastEndNs}
            chosenLoss={chosenLoss}
            onChooseLoss={session.highlights.explainLoss}
            chosenPacket={chosenPacket}
            onChoosePacket={session.highlights.choosePacket}
            onFold={pane => session.display.toggleFolded(pane)}
            {...(isPresenting ? {} : {leastPlotPx: LEAST_PLOT_PX})}
            renderMenu={(packet, close) => <WhatIf packet={packet} onDone={close} />}
            {...shared}
          />
        </Boundary>
      )}
      <Drawer run={run} labels={labels} />
      {isPresenting && (
        <Boundary region="the legend and the sentence" shown={[run, eye, timeline, axis, layout]}>
          <Legend page={run.page} panes={panes} axis={axis} layout={layout} theme={theme} eye={eye} view={timeline} />
          <Sentence run={run} player={player} eye={eye} isUpToT={isUpToT} isBelowLesson />
          {isStoryShown || <StageCards run={run} eye={eye} />}
        </Boundary>
      )}
    </>
  );
}

/**
 * Returns CSS variables: the room to the left and to the right of the timeline's axis, and the share of the axis that
 * is after the end of the run.
 */
function timelineAxis(name: TimelineName, run: ShownRun, leastEndNs: number): CSSProperties {
  const endNs = endOf(run);
  const [, toNs] = wholeRun(Math.max(leastEndNs, endNs));
  const style: {[property: `--${string}`]: string | number} = {
    '--axis-left': `${viewOf(name).leftEm}em`,
    '--axis-right': `${RIGHT_EM}em`,
    '--axis-rest': 1 - endNs / toNs,
  };
  return style;
}

function endOf(run: ShownRun): number {
  return runEndNs(run.traces);
}
