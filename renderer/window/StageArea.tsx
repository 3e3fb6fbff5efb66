import {type CSSProperties, type ReactNode, useCallback, useMemo, useRef} from 'react';
import {runEndNs} from '../../app/run/trace/trace.ts';
import {useFeatures} from '../features/feature.ts';
import {useSize} from '../kit/useSize.ts';
import {LEAST_PLOT_PX, leastTimelinePx} from '../run/timeline/plots.ts';
import {foldedPanes, timelinePanes} from '../run/timeline/timelinePanes.ts';
import {viewOf} from '../run/timeline/viewOf.ts';
import {useSessionState} from '../session/context.tsx';
import type {ShownRun} from '../session/loads.ts';
import {changesOf} from '../session/sources.ts';
import {wholeRun} from '../session/zoom.ts';
import {type SplitHeights, Splitter} from './Splitter.tsx';
import {leastPanesPx, paneColumns, type StageRoom} from './stageLayout.ts';

interface StageAreaProps {
  readonly run: ShownRun | null;
  readonly children: ReactNode;
}

/**
 * The stage: the area of the panes, the timeline, their controls and the drawer. The panes and the timeline divide the
 * height that is left, in the ratio that the splitter has set. If the window is too low for their least heights, the
 * stage is scrolled.
 */
export function StageArea({run, children}: StageAreaProps) {
  const area = useRef<HTMLElement>(null);
  const {width, height, fontPx} = useSize(area);
  const view = useSessionState(state => state.view.timeline);
  const share = useSessionState(state => state.view.paneShare);
  const leastPx = useLeastHeights(run, {width, height, fontPx});
  const panes = run?.traces.length ?? 1;
  const heights = useCallback((): SplitHeights => ({...rowHeights(area.current), ...leastPx}), [leastPx]);
  const columns = paneColumns(panes, {width, height, fontPx});
  const style: {[property: `--${string}`]: string | number} = {
    '--columns': columns,
    '--least-panes': `${leastPx.leastPanesPx}px`,
    '--least-timeline': `${leastPx.leastTimelinePx}px`,
  };
  if (share !== null) {
    style['--panes-room'] = `${100 * share}fr`;
    style['--timeline-room'] = `${100 * (1 - share)}fr`;
  } else if (leastPx.isFolded) {
    style['--timeline-room'] = `${leastPx.leastTimelinePx}px`;
  } else if (panes > 4 && columns < panes) {
    style['--panes-room'] = '2.4fr';
  }
  return (
    <main ref={area} className="stage" data-timeline={viewOf(view).height} style={style as CSSProperties}>
      {children}
      {run !== null && <Splitter heights={heights} />}
    </main>
  );
}

/**
 * The least heights of the panes and of the timeline, CSS px. `isFolded` says whether all graphs of the timeline are
 * folded. It is false if a panel is shown instead, and in a view with a row for each pane.
 */
function useLeastHeights(run: ShownRun | null, room: StageRoom) {
  const name = useSessionState(state => state.view.timeline);
  const layout = useSessionState(state => state.view.layout);
  const folded = useSessionState(state => state.view.foldedPanes);
  const panelName = useSessionState(state => state.view.panel);
  const panel = useFeatures().find(feature => feature.name === panelName)?.panel;
  const {width, height, fontPx} = room;
  return useMemo(() => {
    const view = viewOf(name);
    const leastEm = view.height === 'most' ? LEAST_OF_TEXTS_EM : LEAST_EM;
    const least = {leastPanesPx: 0, leastTimelinePx: leastEm * fontPx, isFolded: false};
    if (run === null) return least;
    const leastPanes = leastPanesPx(run.traces.length, {width, height, fontPx});
    if (panel !== undefined) {
      const panelEm = panel.leastEm?.(run.traces.length) ?? LEAST_EM;
      return {...least, leastTimelinePx: panelEm * fontPx, leastPanesPx: leastPanes};
    }
    const panes = foldedPanes(timelinePanes(run), folded);
    const [fromNs, toNs] = wholeRun(runEndNs(run.traces));
    const own = {view, layout, panes, changes: changesOf(run), width, fontPx, fromNs, toNs, leastPlotPx: LEAST_PLOT_PX};
    const graphs = view.graphs(panes, layout);
    const isFolded =
      view.apartBy !== 'own rows' &&
      graphs.every(([pane, ...others]) => others.length === 0 && pane?.isFolded === true);
    const px = leastTimelinePx(own);
    return {
      leastPanesPx: leastPanes,
      leastTimelinePx: isFolded ? px : Math.max(px, least.leastTimelinePx),
      isFolded,
    };
  }, [run, name, layout, folded, panel, width, height, fontPx]);
}

/** The heights of the first and of the fourth row of the stage's grid: the panes and the timeline. */
function rowHeights(stage: HTMLElement | null) {
  const rows = stage === null ? [] : getComputedStyle(stage).gridTemplateRows.split(' ').map(Number.parseFloat);
  const [panesPx = 0, , , timelinePx = 0] = rows;
  return {panesPx, timelinePx};
}

/** The least height of the timeline, em. */
const LEAST_EM = 9;
/** The least height of a view whose rows have texts, em. */
const LEAST_OF_TEXTS_EM = 12;
