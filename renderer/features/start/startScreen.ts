import {createStore, type StoreApi} from 'zustand/vanilla';
import {type Comparison, compareDocument, readComparison} from '../../../app/run/scenario/compare.ts';
import {pageDocument} from '../../../app/run/scenario/document.ts';
import type {FeatureState} from '../../session/extension.ts';
import type {Session} from '../../session/session.ts';

/** What the user chooses on the start screen, and whether the screen is shown by itself. */
class StartScreen {
  readonly choice: StoreApi<Comparison>;
  readonly #session: Session;
  #isSkipped = false;

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
    if (!hasDocument && !this.#isSkipped && remembered.isFirstUse) display.openDialog('start');
    if (stored !== undefined) this.choice.setState(readComparison(stored));
  }

  /** Closes the screen. The next window opens with the last scenario. */
  leave(): void {
    this.#session.display.closeDialog('start');
    this.#session.remembered.set('used', true);
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

export const START: FeatureState<StartScreen> = {
  create: session => {
    const screen = new StartScreen(session);
    session.extend({started: ({opened}) => screen.begin(opened !== null)});
    return screen;
  },
};
