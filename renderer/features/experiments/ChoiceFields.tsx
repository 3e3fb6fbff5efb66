import {useId, useMemo} from 'react';
import {useStore} from 'zustand';
import {axisText, metricQuantity} from '../../../app/study/figures/quantities.ts';
import {useStateOf} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {AxisFields} from './AxisFields.tsx';
import {axisOptions} from './axisOptions.ts';
import {CAUSES, type ChosenGrid, type ExperimentChoice} from './choice.ts';
import {EXPERIMENT} from './experiment.ts';
import {metricOptions} from './metricOptions.ts';

interface ChoiceFieldsProps {
  readonly run: ShownRun;
  /** The name of the metric that the figure shows. */
  readonly metric: string;
  readonly problem: Extract<ChosenGrid, {ok: false}> | null;
  /** Whether visual metrics can be shown, because the quality of the pictures in every cell has been measured. */
  readonly isSeen: boolean;
}

/** The fields of an experiment: its axes, its seeds, and which results the figure shows. */
export function ChoiceFields({run, metric, problem, isSeen}: ChoiceFieldsProps) {
  const {choice: store} = useStateOf(EXPERIMENT);
  const choice = useStore(store);
  const options = useMemo(() => axisOptions(run.scenario), [run]);
  const ids = [useId(), useId()];
  const set = (change: Partial<ExperimentChoice>) => store.setState(change);
  const problemOf = (of: 'x' | 'panels' | 'grid') => (problem?.of === of ? problem.message : null);
  return (
    <div className="experiment-fields">
      <AxisFields
        label="Vary"
        options={options}
        chosen={choice.x}
        problem={problemOf('x')}
        onChoose={x => x !== null && set({x})}
      />
      <AxisFields
        label="and"
        options={options}
        chosen={choice.panels}
        none="nothing else"
        problem={problemOf('panels') ?? problemOf('grid')}
        onChoose={panels => set({panels})}
      />
      <label htmlFor={ids[0]}>Show</label>
      <select id={ids[0]} value={metric} onChange={event => set({metric: event.target.value})}>
        {metricOptions(isSeen).map(({name}) => (
          <option key={name} value={name}>
            {axisText(metricQuantity(name))}
          </option>
        ))}
        <option value={CAUSES}>causes of the time, s</option>
      </select>
      <label htmlFor={ids[1]}>as</label>
      <div className="experiment-row">
        <select
          id={ids[1]}
          value={choice.metric === CAUSES ? 'means' : choice.kind}
          disabled={choice.metric === CAUSES}
          title={choice.metric === CAUSES ? 'the parts of a bar show the mean time of each cause' : undefined}
          onChange={event => set({kind: event.target.value === 'spread' ? 'spread' : 'means'})}
        >
          <option value="means">means</option>
          <option value="spread">quartiles</option>
        </select>
        <select
          aria-label="seeds"
          title="number of runs at each point, with seeds 1, 2, 3, …"
          value={choice.seeds}
          onChange={event => set({seeds: Number(event.target.value)})}
        >
          {SEEDS.map(each => (
            <option key={each} value={each}>
              {each} seeds
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

const SEEDS = [10, 20, 50, 200];
