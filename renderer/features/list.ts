import {advice} from './advice/index.tsx';
import {experiments} from './experiments/index.tsx';
import type {Feature} from './feature.ts';
import {live} from './live/index.ts';
import {opening} from './opening/index.tsx';
import {palette} from './palette/index.tsx';
import {quality} from './quality/index.tsx';
import {recording} from './recording/index.tsx';
import {saving} from './saving/index.tsx';
import {seeds} from './seeds/index.tsx';
import {settings} from './settings/index.tsx';
import {start} from './start/index.tsx';
import {story} from './story/index.tsx';
import {why} from './why/index.tsx';

/** All features of the window. Parts of several features in the same place have this order. */
export const FEATURES: readonly Feature[] = [
  settings,
  opening,
  start,
  story,
  recording,
  saving,
  quality,
  live,
  seeds,
  why,
  experiments,
  advice,
  palette,
];
