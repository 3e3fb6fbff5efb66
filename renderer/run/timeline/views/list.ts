import type {View} from '../model.ts';
import {cwnd} from './cwnd.ts';
import {losses} from './losses.ts';
import {packets} from './packets.ts';
import {percent} from './percent.ts';
import {rtt} from './rtt.ts';
import {waterfall} from './waterfall.ts';

/** All views, in the order of their buttons. */
export const VIEWS: readonly View[] = [percent, waterfall, packets, cwnd, rtt, losses];
