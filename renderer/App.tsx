import {useEffect, useMemo} from 'react';
import {changeCaptions} from '../app/movie/captions.ts';
import {ChangeList} from './controls/Changes.tsx';
import {useDrop, useKeys, usePaste, useTheme} from './controls/hooks.ts';
import {PaneSettings} from './controls/PaneSettings.tsx';
import {PathSettings} from './controls/PathSettings.tsx';
import {usePresenting} from './controls/presenting.ts';
import {QualitySettings} from './controls/QualitySettings.tsx';
import {LoadingSettings, RunSettings} from './controls/RunSettings.tsx';
import {Section} from './controls/Section.tsx';
import {TimelineBar} from './controls/TimelineBar.tsx';
import {Toolbar} from './controls/Toolbar.tsx';
import {Transport} from './controls/Transport.tsx';
import {Help} from './help/Help.tsx';
import {HonestyLine} from './metrics/HonestyLine.tsx';
import {MetricsTable} from './metrics/MetricsTable.tsx';
import {ObjectsTable} from './metrics/ObjectsTable.tsx';
import {RecordDialog} from './movie/RecordDialog.tsx';
import {Notices} from './Notices.tsx';
import type {Theme} from './objectColours.ts';
import {differencesOf, paneLabels} from './panes/paneLabels.ts';
import {QualityDialog} from './quality/QualityDialog.tsx';
import {SeedsPanel} from './seeds/SeedsPanel.tsx';
import {CauseLine} from './stage/CauseLine.tsx';
import {ExplainedPane} from './stage/ExplainedPane.tsx';
import {useEye, useSession, useSessionState} from './store/context.ts';
import type {ShownRun} from './store/loads.ts';
import {Timeline} from './timeline/Timeline.tsx';
import {viewOf} from './timeline/viewOf.ts';
import './window.css';
import './controls/settings.css';

/** The window: panes, playing, timeline; settings and metrics beside them. */
export function App() {
  const session = useSession();
  const run = useSessionState(state => state.run);
  const view = useSessionState(state => state.view);
  const theme = useTheme(view.theme);
  useKeys(session);
  useDrop(session);
  usePaste(session);
  usePresenting(session, view.isPresenting);
  const eye = useEye();
  const labels = useMemo(() => (run === null ? [] : paneLabels(run.scenario.panes)), [run]);
  return (
    <div className={`window${view.isPresenting ? ' presenting' : ''}`}>
      <DocumentState />
      <Toolbar />
      <Notices />
      <main className="stage" data-timeline={viewOf(view.timeline).height}>
        {run !== null && <Stage run={run} labels={labels} theme={theme} />}
      </main>
      {view.areControlsOpen && (
        <aside className="side" aria-label="settings and metrics">
          <RunSettings />
          <PathSettings />
          {/* not in the path's fieldset: Chromium lays that out anew when something comes into it, and ends the drag */}
          <ChangeList />
          <PaneSettings />
          <LoadingSettings />
          <QualitySettings />
          {run !== null && (
            <Section name="metrics" title="Metrics">
              <MetricsTable run={run} eye={eye} labels={labels} />
            </Section>
          )}
          {run !== null && (
            <Section name="objects" title="Objects">
              <ObjectsTable run={run} theme={theme} />
            </Section>
          )}
        </aside>
      )}
      <Help />
      <RecordDialog />
      <QualityDialog theme={theme} />
    </div>
  );
}

/** Marks the document while the run on screen is not the scenario's. Apart, so that nothing else renders for it. */
function DocumentState() {
  const isShown = useSessionState(state => state.run !== null && !state.isComputing);
  useEffect(() => {
    document.documentElement.dataset['state'] = isShown ? 'ready' : 'loading';
  }, [isShown]);
  return null;
}

interface StageProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
  readonly theme: Theme;
}

function Stage({run, labels, theme}: StageProps) {
  const session = useSession();
  const {player, hover, select} = session;
  const hovered = useSessionState(state => state.hovered);
  const selected = useSessionState(state => state.selected);
  const chosenLoss = useSessionState(state => state.chosenLoss);
  const {timeline, axis, layout, zoom, areSeedsOpen} = useSessionState(state => state.view);
  const eye = useEye();
  const progress = useSessionState(state => state.qualityProgress);
  const panes = useMemo(
    () =>
      run.metrics.flatMap((metrics, i) => {
        const trace = run.traces[i];
        return trace === undefined ? [] : [{trace, metrics, label: labels[i] ?? ''}];
      }),
    [run, labels],
  );
  const changes = useMemo(() => changeCaptions(run.scenario), [run]);
  const shared = {player, theme, hovered, selected, onHover: hover, onSelect: select};
  return (
    <>
      <div className="panes" data-panes={run.traces.length}>
        {run.scenario.panes.map((pane, i) => {
          const trace = run.traces[i];
          if (trace === undefined) return null;
          const differences = differencesOf(pane, run.scenario.panes);
          const own = {trace, page: run.page, pane, differences, eye, progress};
          const lost = chosenLoss?.pane === i ? chosenLoss.packet : null;
          // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
          return <ExplainedPane key={i} {...own} {...shared} lost={lost} />;
        })}
      </div>
      <div className="transport">
        <Transport />
        <TimelineBar />
      </div>
      {areSeedsOpen ? (
        <SeedsPanel run={run} />
      ) : (
        <Timeline
          panes={panes}
          view={timeline}
          axis={axis}
          eye={eye}
          layout={layout}
          zoom={zoom}
          onZoom={zoom => session.setView({zoom})}
          changes={changes}
          chosenLoss={chosenLoss}
          onChooseLoss={session.explainLoss}
          {...shared}
        />
      )}
      <CauseLine run={run} labels={labels} />
      <HonestyLine run={run} labels={labels} />
    </>
  );
}
