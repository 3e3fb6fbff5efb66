import type {PageQuality} from './pageQuality.ts';
import type {Thresholds} from './states.ts';

/** What is to be seen of a page, and from when on a picture is recognisable and good. */
export interface Eye {
  readonly quality: PageQuality;
  readonly thresholds: Thresholds;
}
