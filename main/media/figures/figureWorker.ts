import {parentPort} from 'node:worker_threads';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {drawFiles} from './drawFiles.ts';

// This thread draws figures. It receives a figure and answers with the figure's files. Several such threads may run.

parentPort?.on('message', async (figure: Figure) => {
  parentPort?.postMessage(await drawFiles(figure));
});
