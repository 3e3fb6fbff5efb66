import type {Feature} from '../feature.ts';
import {AdviceDialog} from './AdviceDialog.tsx';
import {AdviceButton, RunningAdvice} from './AdviceProgress.tsx';
import {ADVISER} from './adviser.ts';

/** Advises how many streams suit the page and the path on screen, and what else would help. */
export const advice: Feature = {
  name: 'advice',
  state: ADVISER,
  toolbar: [
    {group: 'more', Entry: AdviceButton},
    {group: 'tools', Entry: RunningAdvice},
  ],
  keys: [
    {
      key: 'a',
      group: 'seeds',
      text: 'advice: how many streams, what would help',
      act: session => void (session.refuseIfNoSeeds() || session.display.openDialog('advice')),
    },
  ],
  dialogs: [{name: 'advice', region: 'the advice', View: AdviceDialog}],
};
