import {carriesData} from '../../net/encapsulation.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {isTcpData} from '../../net/tcpInUdp.ts';

/** A protocol that a path carries. Each has its own port, at an offset from the first. */
export interface Relayed {
  readonly name: 'sctp' | 'quic' | 'tcp';
  readonly portOffset: number;
  /**
   * Bytes that a simulation's path counts per packet besides the datagram: IP's header, and UDP's if the transport has
   * one by nature. UDP's header is not counted for SCTP and TCP, which are in UDP only here.
   */
  readonly headerBytes: number;
  /** Whether the datagram counts where loss applies to data packets only. */
  readonly hasData: (datagram: Buffer) => boolean;
}

const IP_BYTES = 20;
/** RFC 768. */
const UDP_BYTES = 8;

export const RELAYED: readonly Relayed[] = [
  {name: 'sctp', portOffset: PORT_OFFSETS.sctp, headerBytes: IP_BYTES, hasData: carriesData},
  // QUIC is encrypted, so nobody on the way can tell
  {name: 'quic', portOffset: PORT_OFFSETS.quic, headerBytes: IP_BYTES + UDP_BYTES, hasData: () => true},
  {name: 'tcp', portOffset: PORT_OFFSETS.tcpInUdp, headerBytes: IP_BYTES, hasData: isTcpData},
];
