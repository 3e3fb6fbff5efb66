import type {Priority} from './priority.ts';
import {RingScheduler} from './ringScheduler.ts';
import {ResponseScheduler, type Scheduled, type SchedulerName} from './scheduler.ts';
import {type TreeRules, TreeScheduler} from './treeScheduler.ts';

/** The dependency that a request states in HTTP/2's first scheme of priorities (RFC 7540 §5.3). */
export interface Dependency {
  /** The stream on which this stream depends. 0 is the root. */
  readonly parent: number;
  /** The weight, 1 to 256. Streams with the same parent share its bandwidth in proportion to their weights. */
  readonly weight: number;
  /** Whether all other streams with the same parent become dependent on this stream. */
  readonly isExclusive: boolean;
}

/**
 * Decides which of several responses is written next. Call {@link ResponseOrder.next}, then {@link
 * ResponseOrder.handleWritten} with the number of bytes written.
 */
export interface ResponseOrder {
  /** Adds a response. `id` must be new. */
  add(id: number, scheduled: Scheduled): void;
  remove(id: number): void;
  reprioritize(id: number, priority: Priority): void;
  /** Handles a dependency, which can arrive before or after the response is added. */
  depend(id: number, dependency: Dependency): void;
  /**
   * Returns the next response among those for which `canWrite` is true, with the largest number of bytes that may be
   * written in its turn. Returns undefined if there is no such response.
   */
  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined;
  /** Called when `bytes` bytes of a response have been written. Bytes of the head are counted over SCTP only. */
  handleWritten(id: number, bytes: number): void;
}

/**
 * How a server chooses the next response: by the priorities of RFC 9218 (a scheduler's name), by the dependencies of
 * RFC 7540 (`TreeRules`), or all streams in turns (`ring`).
 */
export type Scheduling = SchedulerName | TreeRules | 'ring';

export function openOrder(scheduling: Scheduling): ResponseOrder {
  if (scheduling === 'ring') return new RingScheduler();
  return typeof scheduling === 'string' ? new ResponseScheduler(scheduling) : new TreeScheduler(scheduling);
}
