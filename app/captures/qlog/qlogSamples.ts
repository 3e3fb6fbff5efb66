import type {CapturedSample} from '../capturedLoad.ts';
import {numberOf} from '../jsonFields.ts';
import type {QlogEvent} from './qlogFile.ts';

/**
 * Reads the states of a sender from its metrics events. An event has only the values that changed. All other values are
 * those of the event before.
 */
export function readSamples(events: readonly QlogEvent[], side: CapturedSample['side']): readonly CapturedSample[] {
  // Logs of this program have the event under two names, because qvis knows only the older one.
  const name = events.some(event => event.name === NEW_NAME) ? NEW_NAME : 'metrics_updated';
  let last: CapturedSample = {
    connection: 0,
    side,
    atNs: 0,
    cwndBytes: 0,
    ssthreshBytes: Number.POSITIVE_INFINITY,
    flightBytes: 0,
    srttNs: 0,
  };
  const samples: CapturedSample[] = [];
  for (const {atNs, data, ...event} of events) {
    if (event.name !== name) continue;
    const {smoothed_rtt, latest_rtt} = data;
    const srtt = numberOf(smoothed_rtt);
    // Some stacks log the initial RTT before the first measurement.
    const isMeasured = srtt !== undefined && latest_rtt !== 0;
    last = {
      ...last,
      atNs,
      cwndBytes: numberOf(data['congestion_window'] ?? data['cwnd']) ?? last.cwndBytes,
      ssthreshBytes: thresholdOf(data['ssthresh']) ?? last.ssthreshBytes,
      flightBytes: numberOf(data['bytes_in_flight']) ?? last.flightBytes,
      srttNs: isMeasured ? Math.round(srtt * 1e6) : last.srttNs,
    };
    samples.push(last);
  }
  return samples;
}

/**
 * Returns the threshold. Some stacks write the largest number of 64 bits before the first loss: it becomes infinity.
 */
function thresholdOf(value: QlogEvent['data'][string] | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && number > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY;
  return numberOf(value);
}

const NEW_NAME = 'recovery_metrics_updated';
