import {showName} from '../../../../app/base/text.ts';
import type {Identity} from '../../../../app/study/experiment/identity.ts';
import {FILES} from '../../../jobs/experiment/experimentFolder.ts';
import type {Outputs} from '../../../jobs/experiment/outputs.ts';
import {presentExperiment} from '../../../jobs/experiment/presentExperiment.ts';
import {FIGURES, REPORT} from '../../../media/figures/writeFigures.ts';
import {FIGURE_WORKER} from '../../bundled.ts';
import {withProgress} from '../../progress.ts';

/** Draws the figures and writes the report of an experiment whose folder contains all runs. */
export async function present(
  out: string,
  identity: Identity,
  {summedUp}: Outputs,
  {jobs, signal}: {readonly jobs: number; readonly signal: AbortSignal},
): Promise<void> {
  await withProgress('figures', async onProgress => {
    const writing = {worker: FIGURE_WORKER, jobs, signal, onProgress};
    await presentExperiment(out, identity, {options: optionsText(identity), summedUp, ...writing});
  });
}

/** Returns the options on which the runs depend besides the grid. */
function optionsText({visual}: Identity): string {
  if (visual === null) return '';
  const thresholds = (['recognisable', 'good'] as const).map(name => ` --${name} ${visual[name]}`);
  return ` --visual${thresholds.join('')}`;
}

/** Returns a text for people that says which files were written. */
export function outputsText({counts: {cells, loads, incomplete}}: Outputs, out: string): string {
  const left = incomplete === 0 ? 'all complete' : `${incomplete} not complete (listed in ${FILES.summary})`;
  const folder = showName(out, 200);
  return (
    `${folder}/${FILES.results}, ${folder}/${FILES.summary}: ${cells} cells, ${loads} loads, ${left}\n` +
    `${folder}/${REPORT}, ${folder}/${FIGURES}: the figures`
  );
}
