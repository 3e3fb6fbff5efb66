import type {Socket} from 'node:net';
import type {SampleColumns} from '../../../app/run/trace/columns.ts';
import {type TcpInfo, tcpInfo} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/**
 * TCP_INFO from this machine's kernel for its end of the connection. Null if the system has none (only Linux does) or
 * the socket is closed.
 */
export function kernelInfo(socket: Socket): TcpInfo | null {
  // Node offers no public access to the file descriptor
  const fd = (socket as {_handle?: {fd?: unknown} | null})._handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? tcpInfo(fd) : null;
}

/**
 * Samples of TCP connections from this machine's kernel, for the ends on this machine. The samples of a client describe
 * what the client sends: its SRTT is that of the path, but its cwnd does not limit a download.
 */
export class KernelSamples {
  readonly #clock: Clock;
  readonly #rows: {readonly atNs: number; readonly endpoint: number; readonly info: TcpInfo}[] = [];
  readonly #last = new Map<number, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a row if anything has changed since the last row of this endpoint. */
  take(endpoint: number, socket: Socket): void {
    const info = kernelInfo(socket);
    if (info === null) return;
    const {deliveryRateBps: _, retransmittedSegments: __, ...sampled} = info;
    const shown = Object.values(sampled).join();
    if (this.#last.get(endpoint) === shown) return;
    this.#last.set(endpoint, shown);
    this.#rows.push({atNs: this.#clock(), endpoint, info});
  }

  columns(): SampleColumns {
    const rows = this.#rows;
    const doubles = (of: (info: TcpInfo) => number) => Float64Array.from(rows, ({info}) => of(info));
    return {
      atNs: Float64Array.from(rows, ({atNs}) => atNs),
      endpoint: Uint32Array.from(rows, ({endpoint}) => endpoint),
      cwndBytes: doubles(({cwndBytes}) => cwndBytes),
      ssthreshBytes: doubles(({ssthreshBytes}) => ssthreshBytes),
      flightBytes: doubles(({flightBytes}) => flightBytes),
      srttNs: doubles(({srttNs}) => srttNs),
      rtoNs: doubles(({rtoNs}) => rtoNs),
      state: Uint8Array.from(rows, ({info}) => info.state),
      // kernels before Linux 6.7 do not count timeouts, so 0 is shown; no kernel counts probes
      timeouts: Uint32Array.from(rows, ({info}) => info.timeouts ?? 0),
      probes: new Uint32Array(rows.length),
    };
  }
}
