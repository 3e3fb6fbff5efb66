import {randomInt} from 'node:crypto';
import {isIPv6} from 'node:net';
import type {SctpEndOptions} from '../../../app/http/transports.ts';
import {Association, type LiveRecording} from '../../../native/addon/index.js';
import {SCTP_HTTP_PORT} from '../base/sctpInUdp.ts';
import {encapsulatedMtuBytes, OWN_PORTS} from '../base/udpSocket.ts';
import {UdpClient, type UdpClientOptions} from './udpClient.ts';

export interface SctpClientOptions extends UdpClientOptions {
  readonly sctp: SctpEndOptions;
  /** Which columns to record. The recording grows until the association ends. */
  readonly record: LiveRecording;
}

/**
 * The client's end of one SCTP association in UDP (RFC 6951). Call {@link UdpClient.go} after calling methods of
 * `association`.
 */
export class SctpClient extends UdpClient<Association> {
  constructor(options: SctpClientOptions) {
    const {host, sctp, record} = options;
    const mtuBytes = encapsulatedMtuBytes(isIPv6(host) ? 'IPv6' : 'IPv4');
    const ports = {port: randomInt(...OWN_PORTS), peerPort: SCTP_HTTP_PORT};
    const seed = randomInt(2 ** 48 - 1);
    super(new Association(JSON.stringify({sctp, mtuBytes, ...ports, seed, record})), options);
  }

  get association(): Association {
    return this.end;
  }
}
