import {Http1} from '../../http/h1/http1.ts';
import {openTcp, tcpWire} from '../openTcp.ts';
import type {Pipeline} from '../pipeline.ts';
import type {PaneOf, Settings} from '../setting.ts';
import {ByteLog} from '../writeLog.ts';

// A pipeline for tests, which add it to the list of pipelines.

const settings = {
  connections: {kind: 'number', help: 'how many are opened.', label: 'Connections', least: 1, most: 6, default: 2},
  bufferBytes: {kind: 'number', help: 'of each server.', least: 2048, most: 9000, default: null},
  pace: {
    kind: 'choice',
    help: 'how fast it goes.',
    label: 'Pace',
    choices: [
      ['quick', 'as fast as can be'],
      ['slow', 'in its own time'],
    ],
    default: 'quick',
  },
  eager: {kind: 'switch', help: 'is it.', label: 'Eager', texts: ['it is', 'it is not'], default: false},
} as const satisfies Settings;

type ToyPane = PaneOf<'toy', typeof settings>;

export const toy: Pipeline<'toy', typeof settings> = {
  name: 'toy',
  paneNoun: 'a toy pane',
  label: 'Toy',
  longLabel: 'Toy, parallel',
  stack: 'a stack of bricks',
  httpVersion: 'TOY/1',
  about: 'objects over several TCP connections',
  settings,
  numbers: 'byte',
  acknowledges: 'data',
  timer: 'RTO',
  gapReport: 'duplicate ACK',
  open: (network, pane, options) => {
    const connections = Array.from({length: pane.connections}, () => {
      return openTcp(network, {profile: 'classic'}, {sendBufferBytes: pane.bufferBytes ?? 65_536});
    });
    return new Http1(network, tcpWire(network, connections, 'round-robin', {pipelineDepth: null}), options);
  },
  setUp: () => ({text: 'bricks', hasTls: false}),
  openWriteLog: () => new ByteLog(),
  modelled: () => null,
  streamsOf: ({connections}) => connections,
  interleaves: () => false,
  headerWords: (_, streams) => [`${streams} toys`],
  nameWords: ({connections}) => ['Toy', `${connections} at once`],
  settingWords: ({pace, eager}: ToyPane) => [pace, eager ? 'eager' : 'lazy'],
};
