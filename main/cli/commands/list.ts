import type {Command} from '../command.ts';
import {advise} from './advise/advise.ts';
import {diff} from './diff.ts';
import {experiment} from './experiment/experiment.ts';
import {merge} from './experiment/merge.ts';
import {fetch} from './fetch.ts';
import {gateway} from './gateway.ts';
import {open} from './open/open.ts';
import {pages} from './pages.ts';
import {path} from './path/path.ts';
import {filmstrip} from './pictures/filmstrip.ts';
import {record} from './pictures/record.ts';
import {still} from './pictures/still.ts';
import {presets} from './presets.ts';
import {reproduce} from './reproduce.ts';
import {run} from './run/run.ts';
import {har} from './save/har.ts';
import {pcap} from './save/pcap.ts';
import {qlog} from './save/qlog.ts';
import {trace} from './save/trace.ts';
import {serve} from './serve.ts';
import {shim} from './shim.ts';
import {twin} from './twin/twin.ts';
import {typical} from './typical.ts';
import {why} from './why.ts';
import {window} from './window.ts';

/** All commands, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  window,
  run,
  why,
  diff,
  open,
  twin,
  typical,
  advise,
  trace,
  pcap,
  qlog,
  har,
  record,
  still,
  filmstrip,
  experiment,
  merge,
  reproduce,
  fetch,
  gateway,
  serve,
  path,
  shim,
  presets,
  pages,
];
