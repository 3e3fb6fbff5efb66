import {loadsOn} from '../../app/engine/loads.ts';
import * as addon from '../../native/addon/index.js';
import {program} from '../files/program.ts';

/** The loads of `app/engine`, computed by the addon. */
export const {load, loadToMeasure, loadToExplain, capture, packetParts} = loadsOn(addon, program);
