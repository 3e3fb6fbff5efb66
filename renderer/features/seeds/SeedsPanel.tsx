import {useCallback, useEffect, useMemo, useState} from 'react';
import {useStore} from 'zustand';
import {unbroken} from '../../../app/base/text.ts';
import type {SeedRow} from '../../../app/host/contract.ts';
import {titleNames} from '../../../app/pipelines/paneLabels.ts';
import {clockOf} from '../../../app/run/metrics/clock.ts';
import {firstPictureMs, pictureNumbers} from '../../../app/run/metrics/firstPicture.ts';
import {wholePageMs} from '../../../app/run/metrics/metrics.ts';
import {picturesOf} from '../../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {measureVisual} from '../../../app/run/quality/visual.ts';
import {describeRunPath} from '../../../app/run/scenario/describe.ts';
import {hasOwnDrops, ownDropsText} from '../../../app/run/scenario/paneDrops.ts';
import {ALL_METRICS, METRICS} from '../../../app/study/experiment/metricList.ts';
import {paneRow} from '../../../app/study/experiment/row.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {saveSvg} from '../../kit/savedFile.ts';
import {useCalm} from '../../kit/useCalm.ts';
import {ClosePanelButton} from '../../session/ClosePanelButton.tsx';
import {useEye, useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {seedsPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import type {ShownRun} from '../../session/loads.ts';
import {chartsSvg} from './drawCharts.ts';
import {findTypicalSeed, TYPICAL_SEEDS} from './findTypicalSeed.ts';
import {measuresOf} from './measures.ts';
import {SeedChart} from './SeedChart.tsx';
import {needsRequest, SEED_RUNS} from './seedRuns.ts';
import {placeOf, verdict} from './seedVerdict.ts';

/** Computes the scenario on screen with many seeds while the run plays, to show whether its result was luck. */
export function SeedsPanel({run, theme}: {readonly run: ShownRun; readonly theme: Theme}) {
  const session = useSession();
  const eye = useEye();
  const version = useSessionState(state => state.version);
  const isMeasuring = useSessionState(state => state.qualityProgress !== null);
  const seeds = useStateOf(SEED_RUNS);
  const {subject, cells, problem, isBusy} = useStore(seeds.store);
  const [count, setCount] = useState(USUAL_COUNT);
  const [pointed, setPointed] = useState<number | null>(null);
  const plan = useMemo(() => seedsPlan(run, eye, count), [run, eye, count]);
  const wanted = useMemo(() => subjectOf(plan), [plan]);
  const isOwn = subject === wanted;
  const [computed] = cells;
  const rows = useRows(subject, computed, wanted, count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another seed on screen must not start the runs again
  useEffect(() => {
    // the request waits, because the scenario keeps changing while a slider moves
    const timer = window.setTimeout(() => {
      const isRequestNeeded = needsRequest(seeds.store.getState(), wanted, count);
      if (isRequestNeeded && !isMeasuring) void seeds.ask(plan);
    }, SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [seeds, wanted, count, isMeasuring]);
  useEffect(() => {
    return () => {
      if (seeds.store.getState().purpose === 'all') seeds.cancel();
    };
  }, [seeds]);
  const names = useMemo(() => titleNames(run.scenario.panes), [run]);
  const [trace] = run.traces;
  const pictures = eye === null || trace === undefined ? 0 : picturesOf(trace, eye.quality).length;
  const clock = clockOf(run.scenario);
  const measures = useMemo(() => measuresOf(rows, pictures, clock), [rows, pictures, clock]);
  const shown = useMemo(() => rowOf(run, eye), [run, eye]);
  const [first] = measures;
  const isDone = isOwn && (computed?.length ?? 0) >= count;
  const typicalOf = Math.max(count, TYPICAL_SEEDS);
  const save = () => {
    const {page, scenario} = run;
    const caption = `seeds 1 to ${rows.length}, page ${page.name}, ${describeRunPath(scenario, scenario.path)}`;
    const svg = chartsSvg({rows, names, measures, shown, caption, theme, ...PICTURE});
    const name = `interleave-seeds-1-${rows.length}.svg`;
    saveSvg(name, svg, version);
  };
  return (
    <section className="seeds" aria-label="many seeds">
      <header className="seeds-head">
        <p className="seeds-verdict" aria-live="polite">
          {hasOwnDrops(run.scenario) &&
            `The sides do not have the same losses: ${ownDropsText(run.scenario.panes, names)}. `}
          {(first !== undefined && unbroken(verdict(rows, names, first))) ||
            `There is no result for ${count} seeds yet.`}{' '}
          <span className="dim">{first !== undefined && unbroken(placeOf(rows, names, first, shown))}</span>
        </p>
        <div className="seeds-controls">
          {isOwn && isBusy ? (
            <>
              <progress value={rows.length} max={count} aria-label="seeds that were run" />
              <button type="button" onClick={() => seeds.cancel()}>
                Cancel
              </button>
            </>
          ) : (
            isOwn &&
            !isDone && (
              <button type="button" onClick={() => seeds.ask(plan)}>
                Go on
              </button>
            )
          )}
          <span className="dim">
            {isDone ? '' : `${rows.length} of `}
            <select value={count} aria-label="seeds" onChange={event => setCount(Number(event.target.value))}>
              {COUNTS.map(each => (
                <option key={each} value={each}>
                  {each} seeds
                </option>
              ))}
            </select>
          </span>
          <button
            type="button"
            onClick={() => findTypicalSeed(session, typicalOf)}
            title={`find the typical seed among 1 to ${typicalOf} (Shift N: among 1 to ${TYPICAL_SEEDS})`}
          >
            Typical
          </button>
          <button type="button" disabled={rows.length === 0} onClick={save} title="save the charts as an SVG file">
            SVG
          </button>
          <ClosePanelButton shortcut="D" />
        </div>
      </header>
      {isOwn && problem !== null && (
        <p className="refused">
          Stopped after {rows.length} seeds: {problem}
        </p>
      )}
      <div className="seeds-charts">
        {measures.map(measure => (
          <SeedChart
            key={measure.name}
            rows={rows}
            names={names}
            measure={measure}
            pointed={pointed}
            shown={shown}
            onPoint={setPointed}
            onChoose={chosen => session.history.choose('seed', chosen)}
          />
        ))}
      </div>
      <p className="seeds-legend dim">
        Each dot is a run with one of the seeds 1 to {rows.length}; click a dot to open its run. The box contains the
        middle half of all runs; runs without a value count as last. The band is the median’s 95 % confidence interval.{' '}
        {clock === 'navigation'
          ? 'Times count from navigation.'
          : 'T counts from the first request, the other times from navigation.'}
      </p>
    </section>
  );
}

/**
 * Returns the computed rows of the first `count` seeds. Returns none while the rows belong to another scenario than the
 * wanted one: `subject` and `wanted` identify the two. The result changes at most a few times a second.
 */
function useRows(
  subject: string,
  rows: readonly SeedRow[] | undefined,
  wanted: string,
  count: number,
): readonly SeedRow[] {
  const make = useCallback(() => ({subject, rows: (rows ?? []).slice(0, count)}), [subject, rows, count]);
  const made = useCalm(make);
  return made?.subject === wanted ? made.rows : NO_ROWS;
}

const NO_ROWS: readonly SeedRow[] = [];

/** Converts the run on screen to a row like those of the other seeds. */
function rowOf({scenario, page, metrics, traces}: ShownRun, eye: Eye | null): SeedRow {
  const pictures = pictureNumbers(page, eye?.quality ?? null);
  const panes = metrics.map((each, pane) => {
    const trace = traces[pane];
    if (eye === null || trace === undefined) return paneRow(each, METRICS);
    return paneRow({...each, visual: measureVisual(trace, eye.quality, eye.thresholds)}, ALL_METRICS);
  });
  const firstPicturesMs = metrics.map(each => firstPictureMs(each, pictures));
  return {seed: scenario.seed, panes, firstPicturesMs, wholePagesMs: metrics.map(wholePageMs)};
}

/** The size of the saved picture, CSS px. */
const PICTURE = {width: 1280, height: 360, fontPx: 14};
const USUAL_COUNT = 100;
const COUNTS = [20, 100, 200, 500, 1000];
/** How long the scenario must stay the same before its seeds are computed, ms. */
const SETTLED_MS = 400;
