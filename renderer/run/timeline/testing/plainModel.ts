import type {TimelineModel} from '../model.ts';
import {percent} from '../views/percent.ts';

/** For tests: a model of the percent view without panes, which shows 80 ms. Tests replace the fields that they need. */
export const PLAIN_MODEL: TimelineModel = {
  panes: [],
  view: percent,
  axis: 'bytes',
  eye: null,
  layout: 'stacked',
  theme: 'light',
  hovered: new Set(),
  selected: null,
  changes: [],
  width: 800,
  height: 300,
  fontPx: 12,
  fromNs: 0,
  toNs: 80e6,
};
