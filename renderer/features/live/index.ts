import type {Feature} from '../feature.ts';
import {LiveSettings, leaveLive} from './LiveSettings.tsx';
import {PATH_WATCH} from './pathWatch.ts';

/** Loads the page from a real server, over a real path. */
export const live: Feature = {
  name: 'live',
  state: PATH_WATCH,
  path: {
    label: 'live…',
    title: 'load from a real server',
    isOf: ({path}) => path.live !== undefined,
    leave: leaveLive,
    Fields: LiveSettings,
  },
};
