import {useStore} from 'zustand';
import {loadedLater} from '../../kit/loadedLater.tsx';
import {useHasSeeds, useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {doneRuns, wantedRuns} from '../../session/grid/gridRuns.ts';
import type {Feature} from '../feature.ts';
import {EXPERIMENT} from './experiment.ts';
import {readKeptChoice, storeChoiceForReload} from './keptChoice.ts';

/** The panel is loaded when it opens for the first time, because it needs the library that draws figures. */
const ExperimentPanel = loadedLater(
  async () => (await import('./ExperimentPanel.tsx')).ExperimentPanel,
  <section className="experiment" />,
);

/** Shows how a setting affects the load: many runs for each value of the setting, as a figure. */
export const experiments: Feature = {
  name: 'experiment',
  state: EXPERIMENT,
  toolbar: [
    {group: 'more', Entry: ExperimentButton},
    {group: 'tools', Entry: RunningExperiment},
  ],
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
    'An experiment varies one or two settings of the run on screen. Each point of its figure stands for many runs ' +
    'that differ only in their seeds. It shows their mean with its 95 % confidence interval, or their quartiles. ' +
    'Move the pointer to a point to see the number of its runs. A click on the point opens its median run, and ' +
    'another click the next run. Ctrl Z goes back. With the causes of the time, each side has a bar whose parts are ' +
    'causes.',
  panel: {region: 'the experiment', View: ExperimentPanel, leastEm: () => LEAST_EM},
  restore: (session, storage) => {
    const {choice} = session.stateOf(EXPERIMENT);
    choice.setState(readKeptChoice(storage) ?? {});
    storeChoiceForReload(choice, storage);
    return undefined;
  },
};

/**
 * A button in the toolbar that is shown only while runs are computed and the panel is closed. It shows how many percent
 * of the runs are done.
 */
function RunningExperiment() {
  const isOpen = useSessionState(state => state.view.panel === 'experiment');
  const isBusy = useStore(useStateOf(EXPERIMENT).runs.store, state => state.isBusy);
  return isBusy && !isOpen && <ExperimentButton />;
}

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
      title="experiment: vary a setting over many seeds (V)"
    >
      Experiment{percent !== null && !isOpen && ` ${percent} %`}
    </button>
  );
}

/** The height of the fields, and of a figure whose legend has several rows, em. */
const LEAST_EM = 21;
