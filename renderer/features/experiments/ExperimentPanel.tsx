import {useDeferredValue, useMemo} from 'react';
import {useStore} from 'zustand';
import type {Theme} from '../../kit/objectColours.ts';
import {useEye, useSessionState, useStateOf} from '../../session/context.tsx';
import {planOf, subjectOf} from '../../session/grid/gridPlan.ts';
import type {ShownRun} from '../../session/loads.ts';
import {ChoiceFields} from './ChoiceFields.tsx';
import {CAUSES, type ChosenGrid, gridOf, shownMetric} from './choice.ts';
import {ExperimentFigure} from './ExperimentFigure.tsx';
import {EXPERIMENT} from './experiment.ts';
import {RunBar} from './RunBar.tsx';
import './experiments.css';

/** Shows how a setting affects the load: a figure of many runs for each value of the setting. */
export function ExperimentPanel({run, theme}: {readonly run: ShownRun; readonly theme: Theme}) {
  const experiment = useStateOf(EXPERIMENT);
  const eye = useEye();
  const choice = useStore(experiment.choice);
  const isMeasuring = useSessionState(state => state.qualityProgress !== null);
  // checking every cell takes long, so it waits while a slider moves
  const base = useDeferredValue(run);
  const chosen: ChosenGrid = useMemo(() => gridOf(choice, base.scenario), [choice, base]);
  const there = useStore(experiment.runs.store, state => state.subject);
  const plan = useMemo(() => {
    if (!chosen.ok) return null;
    const plain = planOf(chosen.grid, base, eye);
    const explained = {...plain, hasCauses: true};
    // runs with causes have all other metrics, too, so they are kept when another metric is chosen
    return choice.metric === CAUSES || subjectOf(explained) === there ? explained : plain;
  }, [chosen, base, eye, choice.metric, there]);
  const metric = shownMetric(choice, chosen, base.scenario);
  // while a text is invalid there is no plan, and the visual metrics stay in the list because one may be chosen
  const isSeen = (plan === null ? eye : plan.eye) !== null;
  return (
    <section className={choice.metric === CAUSES ? 'experiment experiment-bars' : 'experiment'} aria-label="experiment">
      <form
        className="experiment-choice"
        onSubmit={event => {
          event.preventDefault();
          if (plan !== null && !isMeasuring) void experiment.runs.ask(plan);
        }}
      >
        <ChoiceFields run={run} metric={metric} problem={chosen.ok ? null : chosen} isSeen={isSeen} />
        <RunBar plan={plan} isMeasuring={isMeasuring} />
      </form>
      <ExperimentFigure run={run} theme={theme} wanted={plan} metric={metric} />
    </section>
  );
}
