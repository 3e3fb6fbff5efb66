import type {Session} from '../session/session.ts';
import {isAllLive} from '../session/sources.ts';

/** With the model's times, or without; tells why there are none of what came from live servers alone. */
export function toggleModel(session: Session): void {
  const {run} = session.store.getState();
  if (run !== null && isAllLive(run)) session.notices.tell(NO_MODEL);
  else session.display.toggleStage('hasModel');
}

export const NO_MODEL = 'A live load has no model: nothing is known of its path';
