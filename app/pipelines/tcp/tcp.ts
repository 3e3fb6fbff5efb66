import type {Pipeline} from '../pipeline.ts';
import {SEND_BUFFER, type Settings} from '../setting.ts';
import {bufferText} from '../words.ts';
import {ByteLog} from '../writeLog.ts';
import {openTcp, tcpWire} from './wire.ts';

const settings = {
  profile: {
    kind: 'choice',
    help: 'classic is of 2007; reno has no SACK (R02); the variants of classic differ from it in one rule',
    label: 'Profile',
    isAtHand: true,
    choices: [
      ['classic', 'classic (2007)'],
      ['modern', 'modern'],
      ['reno', 'Reno, no SACK'],
      ['classic-quickack', 'classic, ACK each'],
      ['classic-iw10', 'classic, IW 10'],
    ],
    default: 'classic',
  },
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

/** HTTP/1.1 pipelined over one TCP connection, answered in request order (RFC 9112 §9.3.2). */
export const tcp: Pipeline<'tcp', typeof settings> = {
  name: 'tcp',
  paneNoun: 'a tcp pane',
  label: 'TCP',
  longLabel: 'TCP, pipelined',
  stack: 'own stack',
  about: 'HTTP/1.1 pipelined over one TCP connection',
  settings,
  numbers: 'byte',
  // RFC 5681 §2; with SACK RFC 6675 §2
  gapReport: 'duplicate ACK',
  open: (network, {profile, sendBuffer}, {bufferBytes}) =>
    tcpWire(network, [openTcp(network, profile, bufferBytes(sendBuffer))]),
  openWriteLog: () => new ByteLog(),
  modelled: 'in order',
  streamsOf: () => 1,
  sendsInTurn: () => false,
  headerWords: ({profile}) => ['pipelined', profile],
  nameWords: ({profile}) => [`TCP ${profile}`],
  settingWords: ({sendBuffer}) => [bufferText(sendBuffer)],
};
