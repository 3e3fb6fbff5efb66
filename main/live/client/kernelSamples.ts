import type {Socket} from 'node:net';
import type {SampleColumns} from '../../../app/run/trace/columns.ts';
import {type TcpInfo, tcpInfo} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/**
 * Reads TCP_INFO of this machine's end of a connection from the kernel. Null if the system is not Linux or if the
 * socket is not open.
 */
export function kernelInfo(socket: Socket): TcpInfo | null {
  // Node has no public API for the file descriptor.
  const fd = (socket as {_handle?: {fd?: unknown} | null})._handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? tcpInfo(fd) : null;
}

/**
 * Records samples of this machine's ends of TCP connections, from the kernel. A client's samples describe the data that
 * the client sends. Their SRTT is the path's round-trip time, but their cwnd does not limit a download.
 */
export class KernelSamples {
  readonly #clock: Clock;
  readonly #rows: {readonly atNs: number; readonly endpoint: number; readonly info: TcpInfo}[] = [];
  readonly #last = new Map<number, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a row if any recorded value has changed since the last row of this endpoint. */
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
      // Since version 6.7, Linux counts timeouts. For older kernels, 0 is recorded. TCP_INFO does not count tail
      // loss probes.
      timeouts: Uint32Array.from(rows, ({info}) => info.timeouts ?? 0),
      probes: new Uint32Array(rows.length),
    };
  }
}
