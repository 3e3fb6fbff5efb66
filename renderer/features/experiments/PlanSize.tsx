import {useEffect, useState} from 'react';
import {cellCount, cellScenario} from '../../../app/study/experiment/grid.ts';
import {useStateOf} from '../../session/context.tsx';
import type {GridPlan} from '../../session/grid/gridPlan.ts';
import {EXPERIMENT} from './experiment.ts';

/** Shows how many loads a plan has, and about how long the missing ones take. `runs` is the number of missing runs. */
export function PlanSize({plan, runs}: {readonly plan: GridPlan; readonly runs: number}) {
  const {runs: gridRuns} = useStateOf(EXPERIMENT);
  const [msPerRun, setMsPerRun] = useState<number | null>(null);
  useEffect(() => {
    setMsPerRun(null);
    if (runs === 0) return;
    let isOver = false;
    const timer = window.setTimeout(() => {
      void gridRuns.tryOut(plan).then(ms => isOver || setMsPerRun(ms));
    }, SETTLED_MS);
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [gridRuns, plan, runs]);
  const {grid} = plan;
  const [cells, seeds, panes] = [cellCount(grid), grid.seeds.length, cellScenario(grid, 0).panes.length];
  const about = msPerRun === null ? '' : `, about ${spanText(msPerRun * runs)}`;
  return (
    <p className="dim">
      {count(cells, 'point')} × {seeds} seeds × {count(panes, 'side')} = {cells * seeds * panes} loads{about}
    </p>
  );
}

/** A duration such as `12 s` or `3 min`. */
export function spanText(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  return s < 100 ? `${s} s` : `${Math.round(s / 60)} min`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/**
 * How long the plan must stay the same before a few of its runs are computed to estimate the time, ms. This is longer
 * than the time between two typed letters.
 */
const SETTLED_MS = 500;
