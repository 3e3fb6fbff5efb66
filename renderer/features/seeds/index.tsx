import {loadedLater} from '../../kit/loadedLater.tsx';
import {useHasSeeds, useSession, useSessionState} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {findTypicalSeed, TYPICAL_SEEDS} from './findTypicalSeed.ts';
import {SeedsNotice} from './SeedsNotice.tsx';
import {SEED_RUNS} from './seedRuns.ts';
import './seeds.css';

const SeedsPanel = loadedLater(async () => (await import('./SeedsPanel.tsx')).SeedsPanel);

/** Computes the scenario on screen with many seeds, to show whether its result was luck. */
export const seeds: Feature = {
  name: 'seeds',
  state: SEED_RUNS,
  toolbar: [{group: 'more', Entry: SeedsButton}],
  keys: [
    {key: 'n', group: 'seeds', text: 'another seed', isForWatching: true, act: session => session.anotherSeed()},
    {
      key: 'N',
      group: 'seeds',
      text: 'find the typical seed',
      isForWatching: true,
      act: session => void findTypicalSeed(session),
    },
    {
      key: 'd',
      group: 'seeds',
      text: 'many seeds: was the result luck?',
      isForWatching: true,
      act: session => session.togglePanel('seeds'),
    },
  ],
  panel: {region: 'the seeds', View: SeedsPanel, leastEm: panes => TEXTS_EM + ROW_EM * panes},
  notice: SeedsNotice,
  runSetting: TypicalButton,
};

function SeedsButton() {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.panel === 'seeds');
  const hasSeeds = useHasSeeds();
  return (
    <button
      type="button"
      disabled={!hasSeeds}
      aria-pressed={isOpen}
      onClick={() => session.togglePanel('seeds')}
      title="many seeds: was the result luck? (D)"
    >
      Many seeds
    </button>
  );
}

function TypicalButton() {
  const session = useSession();
  return (
    <button
      type="button"
      className="typical"
      onClick={() => findTypicalSeed(session)}
      title="find a seed that is neither lucky nor unlucky (Shift N)"
    >
      Find the typical one of {TYPICAL_SEEDS}
    </button>
  );
}

/** The height of the panel's texts and of the charts' titles and axes, em. */
const TEXTS_EM = 10;
/** The height of a row of a chart, em. */
const ROW_EM = 2.5;
