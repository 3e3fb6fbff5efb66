import type {Socket} from 'node:net';
import type {SampleColumns} from '../../../app/run/trace/columns.ts';
import {type TcpInfo, tcpInfo} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** What the kernel of this machine says of its end; null where it does not (systems other than Linux) or has ended. */
export function kernelInfo(socket: Socket): TcpInfo | null {
  // Node has no public name for it
  const fd = (socket as {_handle?: {fd?: unknown} | null})._handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? tcpInfo(fd) : null;
}

/**
 * How the kernel of this machine sees the path from its end of connections, as samples of that end. A client's are of
 * what it sends: its SRTT is the path's, its cwnd is not the one that a download is held up by.
 */
export class KernelSamples {
  readonly #clock: Clock;
  readonly #rows: {readonly atNs: number; readonly endpoint: number; readonly info: TcpInfo}[] = [];
  readonly #last = new Map<number, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a row where something has changed. */
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
      // kernels that do not count them (before Linux 6.7) show none; of probes none tells
      timeouts: Uint32Array.from(rows, ({info}) => info.timeouts ?? 0),
      probes: new Uint32Array(rows.length),
    };
  }
}
