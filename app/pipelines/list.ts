import {catp} from './catp/catp.ts';
import {h2} from './h2/h2.ts';
import {h3} from './h3/h3.ts';
import {sctp} from './sctp/sctp.ts';
import {tcp} from './tcp/tcp.ts';
import {udp} from './udp/udp.ts';

/** All pipelines, in the order in which the user can choose them. */
export const PIPELINES = [tcp, sctp, h2, h3, udp, catp] as const;
