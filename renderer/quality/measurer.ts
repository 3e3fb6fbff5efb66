import type {Host} from '../../app/ipc/contract.ts';
import type {Measurer, MeasurerAnswer} from '../../app/quality/measurer.ts';
import type {Json} from '../../app/scenario/document.ts';
import {openHost} from '../host/openHost.ts';
import {measureQuality} from './measureQuality.ts';

declare global {
  interface Window {
    measurer?: Measurer;
  }
}

/** Measures pages for who has no window: the command line. */
class PageMeasurer implements Measurer {
  readonly #host: Host;
  #progress = {done: 0, all: 0};

  constructor(host: Host) {
    this.#host = host;
  }

  progress(): {readonly done: number; readonly all: number} {
    return this.#progress;
  }

  async measure(page: Json, hash: string): Promise<MeasurerAnswer> {
    const opened = await this.#host.openPage(page, 'measure');
    if (!opened.ok) return {ok: false, message: opened.message};
    if (opened.page.hash !== hash)
      return {ok: false, message: 'the page changed while it was read: try again'};
    const onProgress = (done: number, all: number): void => {
      this.#progress = {done, all};
    };
    return {ok: true, quality: await measureQuality(opened.page, {onProgress})};
  }
}

void openHost().then(host => {
  window.measurer = new PageMeasurer(host);
});
