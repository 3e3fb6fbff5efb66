import {QualityDialog} from '../../run/quality/QualityDialog.tsx';
import type {Feature} from '../feature.ts';

/** Shows the measured quality of each picture as a function of the bytes that have arrived. */
export const quality: Feature = {
  name: 'quality',
  keys: [
    {
      key: 'q',
      group: 'show',
      text: 'quality by bytes',
      isForWatching: true,
      act: session => session.display.openDialog('quality'),
    },
  ],
  dialogs: [{name: 'quality', region: 'the measured quality', View: QualityDialog}],
};
