import {linearScale, logScale} from '../../kit/scale.ts';

export const SEED = linearScale({from: 1, to: 100, factor: 1, digits: 3, isInteger: true});

/** The scale of the time that a server thinks. */
export const THINK = linearScale({from: 0, to: 1000, factor: 1, digits: 3});

/** The scale of the jitter of the delay. */
export const JITTER = linearScale({from: 0, to: 200, factor: 1, digits: 3});

export const QUEUE = {
  label: 'Queue',
  unit: 'packets',
  scale: logScale({from: 1, to: 1000, factor: 1, digits: 2, isInteger: true}),
};
