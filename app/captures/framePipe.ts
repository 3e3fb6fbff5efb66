import {type Frame, readFrame} from '../http/datagrams/datagramFrame.ts';
import {type DatagramRequest, readDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import type {Heard, Owner} from './heard.ts';
import {Owners} from './httpRead.ts';
import {numberAt} from './numbers.ts';

/** A request for frames, over UDP or TCP. */
export interface SentRequest {
  readonly asked: DatagramRequest;
  readonly bytes: Uint8Array;
  readonly sentNs: number;
}

/** A frame of a response that arrived. */
export interface ArrivedFrame {
  readonly frame: Frame;
  readonly sentNs: number;
  /** When the client could read the frame. Null if the capture does not show it. */
  readonly readNs: number | null;
}

/**
 * The messages of a TCP connection of the pipeline `catp` (`messagePipe.ts`): requests and frames of HTTP that are
 * otherwise sent in UDP datagrams.
 */
export interface FramePipe {
  readonly requests: readonly SentRequest[];
  readonly frames: readonly ArrivedFrame[];
  /** For the bytes of each end, the numbers of the requests to which they belong. */
  readonly up: readonly Owner[];
  readonly down: readonly Owner[];
}

/** Whether a client's bytes begin with a request for frames. */
export function isFramePipe(bytes: Uint8Array): boolean {
  return (
    readDatagramRequest(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + numberAt(bytes, 0, LENGTH_BYTES))) !== undefined
  );
}

export function readFramePipe(up: Heard, down: Heard): FramePipe {
  const [upOwners, downOwners] = [new Owners(), new Owners()];
  const requests = messagesOf(up).flatMap(({from, to, bytes, sentNs}) => {
    const asked = readDatagramRequest(bytes);
    if (asked === undefined) return [];
    upOwners.add(from, to, asked.request);
    return [{asked, bytes, sentNs}];
  });
  const frames = messagesOf(down).flatMap(({from, to, bytes, sentNs, readNs}) => {
    const frame = readFrame(bytes);
    if (frame === undefined) return [];
    downOwners.add(from, to, frame.request);
    return [{frame, sentNs, readNs}];
  });
  return {requests, frames, up: upOwners.list, down: downOwners.list};
}

/** Returns the complete messages of one end. The length of each message precedes it. */
function messagesOf(heard: Heard) {
  const messages: {
    readonly from: number;
    readonly to: number;
    readonly bytes: Uint8Array;
    readonly sentNs: number;
    readonly readNs: number | null;
  }[] = [];
  for (let from = 0; from + LENGTH_BYTES <= heard.bytes.length; ) {
    const to = from + LENGTH_BYTES + numberAt(heard.bytes, from, LENGTH_BYTES);
    if (to > heard.bytes.length) break;
    const bytes = heard.bytes.subarray(from + LENGTH_BYTES, to);
    messages.push({from, to, bytes, sentNs: heard.sentNs(from), readNs: heard.readNs(to)});
    from = to;
  }
  return messages;
}

const LENGTH_BYTES = 2;
