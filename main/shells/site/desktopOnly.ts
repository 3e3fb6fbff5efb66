import {type Refusal, refusal} from '../../../app/base/refusal.ts';

/** What the web edition tells users whose request only the desktop program can answer. */
export const DESKTOP = 'the desktop program: clone the repository and run npm start';

/** Refuses a request that needs the desktop program. `what` is the subject of the sentence, in the plural. */
export function desktopOnly(what: string): Refusal {
  return refusal(`${what} need ${DESKTOP}`);
}
