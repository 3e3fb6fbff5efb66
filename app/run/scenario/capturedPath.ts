import {type Field, oneOf, optional} from '../../base/schema.ts';
import {CAPTURE_KINDS, type CaptureKind, type LivePath} from '../../pipelines/setting.ts';

export const SEEN_AT = ['client', 'server', 'both'] as const;

/**
 * Where packets were recorded. `both`: each packet was recorded at its sender, as in the captures that this program
 * writes. The place decides which times of a packet are known. For example, a client does not see when the server sent
 * a packet, and never sees a packet that was lost on the way to the client.
 */
export type SeenAt = (typeof SEEN_AT)[number];

/** The path of a load that another program recorded. */
export interface CapturedPath {
  readonly captured: CaptureKind;
  readonly seenAt: SeenAt;
}

/** The fields of a captured path. Each is absent by default. */
export const CAPTURED_FIELDS = {
  captured: optional(oneOf(CAPTURE_KINDS), undefined, {
    about:
      'The kind of file in which another program recorded the run: "pcap" for captures of packets, "qlog", "netlog" for ' +
      'the network log of Chromium, or "har". The path was that of the recording. The settings of an emulated path, ' +
      'of the panes and of the servers are not used, and the run cannot be computed.',
  }),
  seenAt: optional(oneOf(SEEN_AT), undefined, {
    about: 'For a captured path: where the packets were recorded. With "both", each packet was recorded at its sender.',
    default: 'client',
  }),
} satisfies Readonly<Record<string, Field<unknown>>>;

type PartOfPath = {readonly [K in keyof CapturedPath]?: CapturedPath[K] | undefined};

/** Returns the captured part of a path. Undefined if the path was not captured. */
export function capturedPart({captured, seenAt = 'client'}: PartOfPath): CapturedPath | undefined {
  return captured === undefined ? undefined : {captured, seenAt};
}

/** Whether runs of a path are computed. All other runs are live or captured. */
export function isComputedPath({live, captured}: Partial<Pick<LivePath, 'live'> & CapturedPath>): boolean {
  return live === undefined && captured === undefined;
}

/** Says why a captured run cannot be loaded. */
export function capturedRefusal(captured: CaptureKind): string {
  return `path.captured is ${captured}: the run was recorded, so it can be shown and compared, but neither loaded again nor emulated`;
}
