import {lazy, Suspense} from 'react';
import {useStore} from 'zustand';
import {useHasSeeds, useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {doneRuns, wantedRuns} from '../../session/grid/gridRuns.ts';
import type {Feature, RunProps} from '../feature.ts';
import {EXPERIMENT} from './experiment.ts';
import {keepChoiceOver, readKeptChoice} from './keptChoice.ts';

/** What a setting does to the load: many runs for each of its values, as a figure. */
export const experiments: Feature = {
  name: 'experiment',
  state: EXPERIMENT,
  toolbar: [{group: 'tools', Entry: ExperimentButton}],
  keys: [
    {
      key: 'v',
      group: 'seeds',
      text: 'experiment: vary a setting',
      isForWatching: true,
      act: session => session.togglePanel('experiment'),
    },
  ],
  help:
    'An experiment varies one setting, or two, of the run on show. A point of its figure is the mean of many runs that ' +
    'differ in their seed alone, its bar the mean’s 95 % confidence interval: other seeds would have given a mean about ' +
    'there. Point at it to see of how many runs it is; a click shows its median run, another click the next one, and ' +
    'Ctrl Z leads back.',
  panel: {region: 'the experiment', View: Panel},
  restore: (session, storage) => {
    const {choice} = session.stateOf(EXPERIMENT);
    choice.setState(readKeptChoice(storage) ?? {});
    keepChoiceOver(choice, storage);
    return undefined;
  },
};

/** While runs are computed and the panel is closed, it says how many of them are done. */
function ExperimentButton() {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.panel === 'experiment');
  const hasSeeds = useHasSeeds();
  const percent = useStore(useStateOf(EXPERIMENT).runs.store, state =>
    state.isBusy ? Math.floor((100 * doneRuns(state)) / wantedRuns(state)) : null,
  );
  return (
    <button
      type="button"
      disabled={!hasSeeds}
      aria-pressed={isOpen}
      onClick={() => session.togglePanel('experiment')}
      title="vary a setting, over many seeds, as a figure (V)"
    >
      Experiment{percent !== null && !isOpen && ` ${percent} %`}
    </button>
  );
}

function Panel(props: RunProps) {
  return (
    <Suspense fallback={<section className="experiment" />}>
      <ExperimentPanel {...props} />
    </Suspense>
  );
}

/** Loaded when it is opened for the first time, with the library that draws figures. */
const ExperimentPanel = lazy(async () => {
  const {ExperimentPanel: own} = await import('./ExperimentPanel.tsx');
  return {default: own};
});
