import type {JsonSchema} from '../../../../app/base/schema.ts';
import {CONVERSIONS} from '../../../../app/page/conversion.ts';
import {pipelines} from '../../../../app/pipelines/index.ts';
import {HEADLINES} from '../../../../app/run/metrics/clock.ts';
import {PERCENTS} from '../../../../app/run/metrics/metrics.ts';
import {scenarioSchema} from '../../../../app/run/scenario/scenario.ts';
import {CAUSE_KINDS} from '../../../../app/run/why/causeKinds.ts';

/** Returns the JSON Schema of what `run --json` prints: `Result`, with the program's name. */
export function resultSchema(): JsonSchema {
  return {
    ...record(
      {
        program: TEXT,
        scenario: {$ref: '#/$defs/scenario'},
        clock: {
          enum: Object.keys(HEADLINES),
          description:
            'The moment from which the compared times of panes are measured. With navigation, finishMs is compared. ' +
            'With first-request, pageTimeMs is compared.',
        },
        page: {$ref: '#/$defs/page'},
        recorded: record({
          browser: TEXT,
          requests: NUMBER,
          bytes: NUMBER,
          panes: list(record({requests: NUMBER, bytes: NUMBER}), 'The part that each pane loaded in the first run.'),
        }),
        runs: list(record({seed: NUMBER, panes: list({$ref: '#/$defs/pane'})}), 'One entry for each seed.'),
        summary: list({$ref: '#/$defs/summary'}, 'One entry for each pane.'),
        model: list({anyOf: [predicted, notPredicted]}, 'What L06’s analytic model predicts for each pane.'),
        visual: record({
          recognisable: NUMBER,
          good: NUMBER,
          screen: record({width: NUMBER, height: NUMBER}),
        }),
        traces: list(TEXT, 'The names of the trace files, with --trace.'),
        sources: list(
          record({file: TEXT, scenario: {$ref: '#/$defs/scenario'}, page: {$ref: '#/$defs/page'}, pane: NUMBER}, [
            'page',
          ]),
        ),
      },
      ['recorded', 'visual', 'traces', 'sources'],
    ),
    $defs: {
      scenario: scenarioSchema(),
      page,
      ...paneDefinitions(),
      summary: summary(),
      estimate,
    },
  };
}

/** Returns the schema of a pane's metrics and the schemas to which it refers, for `$defs`. */
export function paneDefinitions(): {readonly [name: string]: JsonSchema} {
  return {pane: paneMetrics(), object: objectMetrics, cause};
}

/** Returns a schema of objects with exactly these keys, all of which are required except those in `optional`. */
export function record(properties: {readonly [key: string]: JsonSchema}, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(key => !optional.includes(key));
  return {type: 'object', properties, required, additionalProperties: false};
}

export function list(items: JsonSchema, description?: string): JsonSchema {
  return {...(description === undefined ? {} : {description}), type: 'array', items};
}

function orNull(schema: JsonSchema): JsonSchema {
  return {anyOf: [schema, {type: 'null'}]};
}

/** Returns a schema of objects with one value for each percentage, such as the values of PPage. */
function percents(schema: JsonSchema): JsonSchema {
  return record(Object.fromEntries(PERCENTS.map(percent => [String(percent), schema])));
}

/** Returns a schema of the visual metrics, each of which has a value of the given schema. */
function visualOf(schema: JsonSchema): JsonSchema {
  const complete = record({'85': schema, '100': schema});
  return record({recognisableMs: schema, goodMs: schema, speedIndexMs: schema, visuallyCompleteMs: complete});
}

export const TEXT = {type: 'string'};
export const NUMBER = {type: 'number'};
/** A time that was never reached, or a number that a live or captured load does not know, is null. */
const NUMBER_OR_NULL = orNull(NUMBER);
const BOTH = record({down: NUMBER_OR_NULL, up: NUMBER_OR_NULL});
const OUTCOME = {enum: ['complete', 'partial', 'aborted', 'time-limit', 'work-limit', 'error']};
const CAUSE = {enum: CAUSE_KINDS.map(({name}) => name)};
const PIPELINE = {enum: pipelines().map(({name}) => name)};

const predicted = record({ok: {const: true}, completeMs: NUMBER, pageTimeMs: NUMBER});
const notPredicted = record({ok: {const: false}, reason: TEXT});

const page = record(
  {
    hash: {type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of everything that is loaded.'},
    leftOut: list(TEXT, 'One line for each part of the page that is left out or changed.'),
    conversions: list({enum: CONVERSIONS}),
  },
  ['conversions'],
);

const failure = {
  description: 'Why the object is incomplete. The other keys depend on `kind`.',
  type: 'object',
  properties: {
    kind: {
      enum: [
        'status',
        'absent',
        'differs',
        'unnamed',
        'too-large',
        'malformed',
        'surplus',
        'aborted',
        'time-limit',
        'work-limit',
      ],
    },
  },
  required: ['kind'],
};

const objectMetrics = record(
  {
    url: TEXT,
    bytes: NUMBER,
    stream: NUMBER_OR_NULL,
    requestMs: NUMBER_OR_NULL,
    firstByteMs: NUMBER_OR_NULL,
    completeMs: NUMBER_OR_NULL,
    latencyMs: NUMBER_OR_NULL,
    failure: orNull(failure),
    quality: orNull(list(list(NUMBER))),
  },
  ['quality'],
);

function paneMetrics(): JsonSchema {
  return record(
    {
      pipeline: PIPELINE,
      outcome: OUTCOME,
      reason: orNull(TEXT),
      missing: NUMBER,
      setupMs: NUMBER_OR_NULL,
      pageTimeMs: NUMBER_OR_NULL,
      pPageMs: percents(NUMBER_OR_NULL),
      pRenMs: percents(NUMBER_OR_NULL),
      finishMs: NUMBER_OR_NULL,
      fcpMs: NUMBER_OR_NULL,
      lcpMs: NUMBER_OR_NULL,
      lcpElement: orNull(TEXT),
      dclMs: NUMBER_OR_NULL,
      loadMs: NUMBER_OR_NULL,
      silentMs: NUMBER_OR_NULL,
      packets: BOTH,
      lost: BOTH,
      marked: BOTH,
      retransmitted: NUMBER_OR_NULL,
      holBlockedMs: NUMBER_OR_NULL,
      holBlockedBytes: NUMBER_OR_NULL,
      longestWaitMs: NUMBER_OR_NULL,
      objects: list({$ref: '#/$defs/object'}),
      visual: visualOf(NUMBER_OR_NULL),
      causes: {
        ...orNull(list(record({name: CAUSE, ms: NUMBER}))),
        description: 'Where the time until finishMs went. Null if the load is incomplete. Only with --causes.',
      },
    },
    ['visual', 'marked', 'causes'],
  );
}

const cause = {
  ...record({name: CAUSE, ms: NUMBER, ci95Ms: NUMBER_OR_NULL}),
  description: 'The mean time of a cause; ci95Ms is the half-width of its 95 % confidence interval.',
};

const estimate = {
  ...record({n: NUMBER, mean: NUMBER_OR_NULL, median: NUMBER_OR_NULL, ci95: NUMBER_OR_NULL}),
  description:
    'Mean and median of the n known values; ci95 is the half-width of the 95 % confidence interval of the mean.',
};

function summary(): JsonSchema {
  const estimated = {$ref: '#/$defs/estimate'};
  const comparison = record({
    runs: NUMBER,
    ratio: NUMBER_OR_NULL,
    differenceMs: estimated,
    rankTest: record({u: NUMBER, p: NUMBER_OR_NULL}),
  });
  return record(
    {
      pipeline: PIPELINE,
      runs: NUMBER,
      complete: NUMBER,
      leftOut: list(record({outcome: OUTCOME, reason: TEXT, seeds: list(NUMBER)})),
      missing: NUMBER,
      setupMs: estimated,
      pageTimeMs: estimated,
      pPageMs: percents(estimated),
      pRenMs: percents(estimated),
      fcpMs: estimated,
      lcpMs: estimated,
      dclMs: estimated,
      loadMs: estimated,
      finishMs: estimated,
      silentMs: estimated,
      lost: record({down: estimated, up: estimated}),
      marked: record({down: estimated, up: estimated}),
      retransmitted: estimated,
      holBlockedMs: estimated,
      longestWaitMs: estimated,
      visual: visualOf(estimated),
      againstFirst: orNull(comparison),
      finishAgainstFirst: orNull(comparison),
      causes: list(
        {$ref: '#/$defs/cause'},
        'Mean times of causes, which add up to the mean of finishMs. Only with --causes.',
      ),
      causesAgainstFirst: orNull(list({$ref: '#/$defs/cause'})),
    },
    ['visual', 'marked', 'causes', 'causesAgainstFirst'],
  );
}
