import type {Json} from '../scenario/document.ts';
import type {PageQuality} from './pageQuality.ts';

/** What the page of the renderer that measures pages offers to who asks, as `window.measurer`. */
export interface Measurer {
  /** Measures a scenario's `page`; refused if that is no longer the page of this hash. */
  measure(page: Json, hash: string): Promise<MeasurerAnswer>;
  /** Of what is measured, objects. */
  progress(): {readonly done: number; readonly all: number};
}

export type MeasurerAnswer =
  | {readonly ok: true; readonly quality: PageQuality}
  | {readonly ok: false; readonly message: string};

/**
 * Of how curves are measured: raised with each change that moves the goldens (`renderer/quality/goldens`), so that
 * nobody takes curves of before for those of now.
 */
export const MEASURING_VERSION = 2;
