import type {PageQuality} from './pageQuality.ts';
import type {Thresholds} from './states.ts';

/** What can be seen of a page, and the thresholds from which a picture counts as recognisable and good. */
export interface Eye {
  readonly quality: PageQuality;
  readonly thresholds: Thresholds;
}
