import {createStore, type StoreApi} from 'zustand/vanilla';
import {type Comparison, compareDocument, readComparison} from '../../../app/run/scenario/compare.ts';
import {ONE_LOST_PACKET_IN_SHORT} from '../../../app/run/scenario/comparisonPresets.ts';
import {pageDocument} from '../../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import type {FeatureState} from '../../session/extension.ts';
import type {Opening} from '../../session/runOnScreen.ts';
import type {Session} from '../../session/session.ts';

/** What the user chooses on the start screen, and whether the screen opens by itself. */
class StartScreen {
  readonly choice: StoreApi<Comparison>;
  readonly #session: Session;
  #isSkipped = false;
  /**
   * The demo, which replaces the run behind the screen when the screen closes. Null if the screen did not open with a
   * run of its own.
   */
  #demo: Scenario | null = null;

  constructor(session: Session) {
    this.#session = session;
    this.choice = createStore(() => readComparison(undefined));
    this.choice.subscribe(({path, transports}) => session.remembered.set('comparison', {path, transports}));
  }

  /** Prevents the screen from appearing by itself. */
  skip(): void {
    this.#isSkipped = true;
  }

  /** Restores the choice of the last window. */
  restore(): void {
    const stored = this.#session.remembered.get('comparison');
    if (stored !== undefined) this.choice.setState(readComparison(stored));
  }

  /**
   * Shows the screen if nothing is remembered, unless it is skipped. Returns the run behind the screen, or undefined if
   * the screen is not shown. In this run one packet is lost, and playing stops when data begins to wait for it. The
   * run is that of the story that the screen offers, but with two of its six panes, so that the first frame is painted
   * early.
   */
  begin(): Opening | undefined {
    const {remembered, display, store} = this.#session;
    if (this.#isSkipped || !remembered.isFirstUse) return undefined;
    display.openDialog('start');
    this.#demo = store.getState().scenario;
    const view = display.replaceForStep({isUpToT: true, freezesAtLosses: true});
    return {...DEMO, name: 'the run behind the start screen', scenario: behindScenario(), isAside: true, view};
  }

  /**
   * Closes the screen. The demo replaces the run behind it. From now on, a new window opens with the last scenario
   * instead of this screen.
   */
  leave(): void {
    const {display, remembered, screen} = this.#session;
    display.closeDialog('start');
    remembered.set('used', true);
    if (this.#demo === null) return;
    display.restoreUserSettings();
    // one of the offers of the screen may have opened another run already
    if (screen.isAside(screen.wanted)) screen.open({...DEMO, scenario: this.#demo});
    this.#demo = null;
  }

  /**
   * Opens the chosen comparison. A page that the user has opened stays. Otherwise the comparison has the page that
   * belongs to the chosen path.
   */
  compare(): void {
    const {documents, screen, store} = this.#session;
    const {path, transports} = this.choice.getState();
    const {page} = store.getState().run === null ? screen.wanted : store.getState().scenario;
    const own = page.kind === 'bundle' ? pageDocument(page) : null;
    documents.open({name: 'the comparison', text: JSON.stringify(compareDocument({path, transports}, own))});
  }
}

const DEMO = {name: 'the demo', tNs: 0, zoom: null, isResumed: false, plays: true} as const;

function behindScenario(): Scenario {
  const parsed = parseScenario(ONE_LOST_PACKET_IN_SHORT);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

export const START: FeatureState<StartScreen> = {
  create: session => {
    const screen = new StartScreen(session);
    session.extend({first: () => screen.begin(), started: () => screen.restore()});
    return screen;
  },
};
