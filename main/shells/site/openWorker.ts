import {Buffer} from 'buffer';
import {refusal} from '../../../app/base/refusal.ts';
import {PageError} from '../../pages/base/pageErrors.ts';
import type {OpenedFile} from '../../pages/open/openFiles.ts';
import type {OpenerAnswer} from './pageOpenings.ts';

// This module runs as a worker. It receives files once, and answers with the page that is made of them.

Object.assign(globalThis, {Buffer});

addEventListener('message', async ({data}: MessageEvent<readonly OpenedFile[]>) => {
  const {openFiles} = await import('../../pages/open/openFiles.ts');
  let answer: OpenerAnswer;
  try {
    answer = {ok: true, bundle: await openFiles(data, new AbortController().signal)};
  } catch (error) {
    // any other error is a bug, which the window reports
    if (!(error instanceof PageError)) return reportError(error);
    answer = refusal(error.message);
  }
  postMessage(answer);
});
