import {parentPort} from 'node:worker_threads';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {drawFiles} from './drawFiles.ts';

// One of several threads that draw figures: it takes a figure and answers with its files.

parentPort?.on('message', async (figure: Figure) => {
  parentPort?.postMessage(await drawFiles(figure));
});
