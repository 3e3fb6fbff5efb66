import type {JsonSchema} from '../../../../app/base/schema.ts';
import {CAPTURE_KINDS} from '../../../../app/pipelines/setting.ts';
import {SEEN_AT} from '../../../../app/run/scenario/capturedPath.ts';
import {list, NUMBER, paneDefinitions, record, TEXT} from '../run/resultSchema.ts';

/** Returns the JSON Schema of what `open --json` prints, with the program's name. */
export function captureSchema(): JsonSchema {
  const capture = record({
    file: TEXT,
    kind: {enum: CAPTURE_KINDS},
    seenAt: {enum: SEEN_AT, description: 'Where the packets were recorded.'},
    url: {...TEXT, description: 'The address that was requested first.'},
    connections: NUMBER,
    objects: {...NUMBER, description: 'The number of requests.'},
    bytes: {...NUMBER, description: 'Bytes of all responses as they were sent, headers and bodies.'},
    notes: list(TEXT, 'What the file lacked or what could not be read.'),
    notKnown: list(TEXT, 'What a capture of this kind does not show.'),
    pane: {$ref: '#/$defs/pane'},
  });
  return {
    ...record({program: TEXT, captures: list(capture, 'One entry for each page load, in the order of the files.')}),
    $defs: paneDefinitions(),
  };
}
