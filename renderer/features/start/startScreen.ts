import {createStore, type StoreApi} from 'zustand/vanilla';
import {type Comparison, compareDocument, readComparison} from '../../../app/run/scenario/compare.ts';
import {ONE_LOST_PACKET_IN_SHORT} from '../../../app/run/scenario/comparisonPresets.ts';
import {pageDocument} from '../../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import type {FeatureState} from '../../session/extension.ts';
import type {Session} from '../../session/session.ts';

/** What the user chooses on the start screen, and whether the screen is shown by itself. */
class StartScreen {
  readonly choice: StoreApi<Comparison>;
  readonly #session: Session;
  #isSkipped = false;
  /** The demo, which follows the run behind the screen when the screen closes. Null if no such run is shown. */
  #demo: Scenario | null = null;

  constructor(session: Session) {
    this.#session = session;
    this.choice = createStore(() => readComparison(undefined));
    this.choice.subscribe(({path, transports}) => session.remembered.set('comparison', {path, transports}));
  }

  /** Prevents that the screen appears by itself. */
  skip(): void {
    this.#isSkipped = true;
  }

  /** Shows the screen if the window was opened without a document and nothing is remembered. */
  begin(hasDocument: boolean): void {
    const {remembered, display} = this.#session;
    const stored = remembered.get('comparison');
    if (!hasDocument && !this.#isSkipped && remembered.isFirstUse) {
      display.openDialog('start');
      this.#showBehind();
    }
    if (stored !== undefined) this.choice.setState(readComparison(stored));
  }

  /** Closes the screen. The demo replaces the run behind it. The next window opens with the last scenario. */
  leave(): void {
    const {display, remembered, screen} = this.#session;
    display.closeDialog('start');
    remembered.set('used', true);
    if (this.#demo === null) return;
    display.restoreUserSettings();
    // a door may have opened something else already
    if (screen.isAside(screen.wanted)) screen.open({...DEMO, scenario: this.#demo});
    this.#demo = null;
  }

  /**
   * Shows the run of the first door's story behind the screen: one lost packet, at which the time freezes. It has two
   * of the story's six panes, so that the first frame comes early.
   */
  #showBehind(): void {
    const {display, screen, store} = this.#session;
    this.#demo = store.getState().scenario;
    const view = display.replaceForStep({isUpToT: true, freezesAtLosses: true});
    screen.open({...DEMO, name: 'the run behind the start screen', scenario: behindScenario(), isAside: true, view});
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
    session.extend({started: ({opened}) => screen.begin(opened !== null)});
    return screen;
  },
};
