import {parentPort} from 'node:worker_threads';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {drawFiles} from './drawFiles.ts';

// One worker of several that draw: takes a figure, answers with its files.

parentPort?.on('message', async (figure: Figure) => {
  parentPort?.postMessage(await drawFiles(figure));
});
