import type {View} from '../model.ts';
import {cwnd} from './cwnd.ts';
import {losses} from './losses.ts';
import {packets} from './packets.ts';
import {percent} from './percent.ts';
import {queue} from './queue.ts';
import {rtt} from './rtt.ts';
import {waterfall} from './waterfall.ts';
import {why} from './why.ts';

/**
 * All views, in the order of their buttons. Their keys are numbered in this order. The names of all views are also in
 * `TIMELINE_NAMES` (app/telling/movie/options.ts), because movies and the command line name them.
 */
export const VIEWS: readonly View[] = [losses, percent, waterfall, packets, cwnd, rtt, why, queue];
