import {Http2} from '../../http/h2/http2.ts';
import {plainRules} from '../../http/serverRules.ts';
import {OverTls} from '../../http/tls/tlsTransports.ts';
import type {Connection, TcpTransports} from '../../http/transports.ts';
import {CONGESTION, congestionOption, congestionText, stackWords} from '../congestion.ts';
import {ECN_SETTING, ecnOption, ecnProblem, ecnText} from '../ecn.ts';
import {openTcp, tlsStart} from '../openTcp.ts';
import type {Pipeline} from '../pipeline.ts';
import {
  CERTIFICATE_COMPRESSION,
  EARLY_DATA,
  type PaneOf,
  PROFILE,
  SCHEDULER,
  SEND_BUFFER,
  type Settings,
  TCP_PROFILE_HELP,
  TLS,
  VISIT,
} from '../setting.ts';
import {bufferText, certificateText, schedulerText, tcpSetUp, tlsText, visitText} from '../settingTexts.ts';
import {ByteLog} from '../writeLog.ts';

const settings = {
  profile: {...PROFILE, help: `The rules that TCP follows. ${TCP_PROFILE_HELP}`},
  congestion: CONGESTION,
  ecn: ECN_SETTING,
  scheduler: {...SCHEDULER, isAlwaysVisible: true},
  tls: TLS,
  visit: VISIT,
  earlyData: EARLY_DATA,
  certificateCompression: CERTIFICATE_COMPRESSION,
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

type H2Pane = PaneOf<'h2', typeof settings>;

/** HTTP/2 on one TCP connection (RFC 9113). */
export const h2: Pipeline<'h2', typeof settings> = {
  name: 'h2',
  paneNoun: 'an h2 pane',
  label: 'HTTP/2',
  longLabel: 'HTTP/2 over TCP',
  stack: 'own stack',
  about: 'HTTP/2 over one TCP connection; HPACK compresses header fields that repeat',
  settings,
  httpVersion: 'h2',
  numbers: 'byte',
  hasOrigins: true,
  acknowledges: 'data',
  timer: 'RTO',
  // RFC 5681 §2 defines this term, and RFC 6675 §2 defines it for SACK.
  gapReport: 'duplicate ACK',
  open: (network, pane, options) => {
    const open = (over: TcpTransports) => {
      const server = options.server.h2 ?? plainRules(pane.scheduler, 2);
      const stack = {profile: pane.profile, ...congestionOption(pane.congestion), ...ecnOption(pane.ecn)};
      const serverEnd = {
        sendBufferBytes: options.bufferBytes(pane.sendBuffer),
        aheadBytes: server.aheadBytes,
        ...(server.aheadGrowsFromBytes !== undefined && {aheadGrowsFromBytes: server.aheadGrowsFromBytes}),
      };
      const {backupMs = null} = options.browser.rules ?? {};
      const connections: Connection[] = [openTcp(over, stack, serverEnd)];
      if (backupMs !== null) connections.push({...openTcp(over, stack, serverEnd), isSpare: true});
      const scheme = pane.tls ? 'https' : 'http';
      return new Http2(over, connections, {
        ...options,
        scheduler: pane.scheduler,
        server,
        scheme,
        ...(backupMs !== null && {backupNs: backupMs * 1e6}),
        // A server that orders responses by RFC 9218 says so (§2.1), and then Chromium states no dependencies. The
        // server `plain` is such a server. All other models are models of real servers, which do not say so.
        hasChain: options.server.h2 !== undefined && options.browser.rules?.hasChain,
      });
    };
    return pane.tls ? new OverTls(network, tlsStart(pane, options), open, options.tickets) : open(network);
  },
  hasHandOver: true,
  setUp: tcpSetUp,
  openWriteLog: () => new ByteLog(),
  // In the model of the paper L06, the responses of a connection do not interleave. Responses of HTTP/2 interleave, so
  // the model does not cover this pipeline.
  modelled: () => null,
  hasPriorities: true,
  streamsOf: () => 1,
  interleaves: ({scheduler}) => scheduler === 'round-robin' || scheduler === 'weighted',
  headerWords: pane => [schedulerText(pane.scheduler), ...stackWords(pane)],
  nameWords: ({scheduler, profile}: H2Pane) => [`HTTP/2 ${profile}`, schedulerText(scheduler)],
  settingWords: ({tls, sendBuffer, ...pane}) => [
    congestionText(pane.congestion),
    ecnText(pane.ecn),
    tlsText(tls),
    tls ? visitText(pane) : '',
    certificateText(pane, tls),
    bufferText(sendBuffer),
  ],
  problemOf: ecnProblem,
};
