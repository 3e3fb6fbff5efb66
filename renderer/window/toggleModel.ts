import type {Session} from '../session/session.ts';
import {isAllLive} from '../session/sources.ts';

/**
 * Shows or hides the page times that the model of the paper L06 predicts. If all panes are live or captured loads, this
 * shows a notice instead.
 */
export function toggleModel(session: Session): void {
  const {run} = session.store.getState();
  if (run !== null && isAllLive(run)) session.notices.showMessage(NO_MODEL);
  else session.display.toggleStage('hasModel');
}

export const NO_MODEL = 'A live or captured load has no model, because nothing is known about its path';
