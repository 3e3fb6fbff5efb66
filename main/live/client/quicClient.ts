import {randomBytes} from 'node:crypto';
import {isIPv6} from 'node:net';
import type {QuicEndOptions, TransportEvent} from '../../../app/http/transports.ts';
import {QuicConnection} from '../../../native/addon/index.js';
import {quicMtuBytes} from '../base/quicDatagram.ts';
import {UdpClient, type UdpClientOptions} from './udpClient.ts';

export interface QuicClientOptions extends Omit<UdpClientOptions, 'onEvents'> {
  readonly quic: QuicEndOptions;
  /** The SHA-256 fingerprint that the server's certificate must have. */
  readonly fingerprint: string;
  /**
   * Called with the connection's events, like {@link UdpClientOptions.onEvents}. If the certificate has another
   * fingerprint, the reason of the event `closed` says so.
   */
  readonly onEvents: (events: readonly TransportEvent[]) => void;
}

/** The client's end of one QUIC connection. Call {@link UdpClient.go} after calling methods of `end`. */
export class QuicClient extends UdpClient<QuicConnection> {
  constructor({quic, fingerprint, onEvents, ...options}: QuicClientOptions) {
    const mtuBytes = quicMtuBytes(isIPv6(options.host) ? 'IPv6' : 'IPv4');
    const record = {packets: true, samples: true};
    const connection = new QuicConnection(
      JSON.stringify({quic, fingerprint, mtuBytes, record}),
      randomBytes(KEY_BYTES),
    );
    const withReason = (event: TransportEvent): TransportEvent => {
      const {shownFingerprint} = connection;
      const isOther = shownFingerprint !== null && shownFingerprint !== fingerprint;
      return event.type === 'closed' && isOther
        ? {...event, reason: otherCertificate(shownFingerprint, fingerprint)}
        : event;
    };
    super(connection, {...options, onEvents: events => onEvents(events.map(withReason))});
  }
}

function otherCertificate(shown: string, asked: string): string {
  return `the server's certificate has the fingerprint ${shown}, but path.fingerprint is ${asked}`;
}

const KEY_BYTES = 64;
