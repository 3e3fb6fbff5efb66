import {linearScale, logScale} from './scale.ts';

/** The scale for a loss rate. People read it in percent. */
export const PERCENT = linearScale({from: 0, to: 20, factor: 0.01, digits: 3});

/** The settings of a path, besides its loss, that are always visible. */
export const ALWAYS_VISIBLE = [
  {
    setting: 'rateBps',
    label: 'Rate',
    unit: 'kbit/s',
    scale: logScale({from: 10, to: 1e6, factor: 1000, digits: 3, isInteger: true}),
  },
  {setting: 'rttMs', label: 'RTT', unit: 'ms', scale: linearScale({from: 0, to: 2000, factor: 1, digits: 3})},
] as const;
