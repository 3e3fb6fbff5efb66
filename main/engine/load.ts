import {loadsOn} from '../../app/engine/loads.ts';
import * as addon from '../../native/addon/index.js';
import {program} from '../files/program.ts';

/** The functions of `app/engine` that compute loads. Here, the native addon simulates the network. */
export const {load, loadToMeasure, loadToExplain, capture, packetParts} = loadsOn(addon, program);
