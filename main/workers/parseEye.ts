import {
  fail,
  INVALID,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  required,
} from '../../app/base/schema.ts';
import {CONVERSIONS} from '../../app/page/conversion.ts';
import type {Eye} from '../../app/run/quality/states.ts';

const bytes = integer(0, Number.MAX_SAFE_INTEGER);
const share = number(0, 1);
const px = number(0, 1e6);

const point: Parser<readonly [bytes: number, quality: number]> = (value, path, problems) => {
  if (!Array.isArray(value) || value.length !== 2) return fail(problems, path, value, 'bytes and quality');
  const [at, quality] = [bytes(value[0], `${path}[0]`, problems), share(value[1], `${path}[1]`, problems)];
  return typeof at === 'symbol' || typeof quality === 'symbol' ? INVALID : [at, quality];
};

const objectQuality = object('the quality of an object', {
  kind: required(oneOf(['picture', 'text'])),
  area: required(number(0, 1e12)),
  curve: required(list(point, 0, 100_000)),
  scanEnds: required(list(bytes, 0, 100_000)),
});

const convertedQuality = object('the quality of converted objects', {
  conversion: required(oneOf(CONVERSIONS)),
  objects: required(list(orNull(objectQuality), 0, 100_000)),
});

/**
 * Checks an {@link Eye} that a window has sent to the engine. An `Eye` says what each object of a page looks like,
 * depending on how many of its bytes have arrived, and which quality counts as recognisable or good.
 */
export const parseEye: Parser<Eye> = object('the visible quality of a page', {
  quality: required(
    object('the quality of a page', {
      screen: required(object('a screen', {width: required(px), height: required(px)})),
      objects: required(list(orNull(objectQuality), 0, 100_000)),
      converted: optional(list(convertedQuality, 0, CONVERSIONS.length), []),
      blocking: optional(list(integer(0, 100_000), 0, 100_000), []),
    }),
  ),
  thresholds: required(object('thresholds', {recognisable: required(share), good: required(share)})),
});
