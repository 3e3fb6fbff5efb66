import {nearest, showName, showValue} from './text.ts';

/** A problem of a document. */
export interface Problem {
  /** The path to the value in the document, such as `panes[1].streams`. It is empty for the document itself. */
  readonly path: string;
  readonly value: unknown;
  /** The values that are allowed, in words. */
  readonly limit: string;
  /** The allowed numbers, if the value must be a number. Callers use it to state the limit in another unit. */
  readonly range?: NumberRange;
  /** One line for the user with the path, the value and the limit. */
  readonly message: string;
}

/** All numbers from `least` to `most`, both included. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

/** The result of a parser that has reported a problem. */
export const INVALID: unique symbol = Symbol('invalid');

/**
 * Converts a JSON value into a T. If the value is invalid, the parser adds to `problems` and returns {@link INVALID}.
 * It never throws.
 */
export interface Parser<T> {
  (value: unknown, path: string, problems: Problem[]): T | typeof INVALID;
  /**
   * Returns a description of the values that the parser accepts, except for rules that involve several keys. All
   * parsers of scenarios, grids and stories have this function, but some other parsers lack it.
   */
  readonly schema?: () => JsonSchema;
}

/** A JSON Schema (draft 2020-12), or a part of it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Returns a parser that behaves like `parse` and has this schema. */
export function describedBy<T>(schema: () => JsonSchema, parse: Parser<T>): Parser<T> {
  const described: Parser<T> = (value, path, problems) => parse(value, path, problems);
  return Object.assign(described, {schema});
}

/** Returns the schema of a parser. @throws Error if the parser has none, which is a bug */
export function schemaOf({schema}: Parser<unknown>): JsonSchema {
  if (schema === undefined) throw new Error('this parser has no schema');
  return schema();
}

type Checked<T> =
  | {readonly ok: true; readonly value: T}
  | {readonly ok: false; readonly problems: readonly [Problem, ...Problem[]]};

/** Parses a whole document. Returns the result or the problems. */
export function check<T>(parse: Parser<T>, value: unknown): Checked<T> {
  const problems: Problem[] = [];
  const parsed = parse(value, '', problems);
  if (parsed !== INVALID) return {ok: true, value: parsed};
  const [first = {path: '', value, limit: 'valid', message: 'not valid'}, ...others] = problems;
  return {ok: false, problems: [first, ...others]};
}

/** A key of an object, and the value that is used if the key is missing. */
export interface Field<T> {
  readonly parse: Parser<T>;
  readonly missing: {readonly value: T} | 'required';
  readonly text?: KeyText;
}

/** The description of a key for users and editors. */
export interface KeyText {
  readonly about: string;
  /** The value that is used if a document lacks the key. It is absent if there is no such value. */
  readonly default?: unknown;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Fielded<F extends Fields> = {readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never};

export function required<T>(parse: Parser<T>, text: KeyText = {about: ''}): Field<T> {
  return {parse, missing: 'required', text};
}

export function optional<T, D>(parse: Parser<T>, value: D, text: KeyText = {about: ''}): Field<T | D> {
  return {parse: parse as Parser<T | D>, missing: {value}, text};
}

/**
 * Returns a parser of objects with these keys. An unknown key is a problem, whose message suggests the nearest known
 * key or lists all known keys. `what` is the name of the object in messages.
 */
export function object<F extends Fields>(what: string, fields: F): Parser<Fielded<F>> {
  const known = Object.keys(fields);
  const parse: Parser<Fielded<F>> = (value, path, problems) => {
    if (!isObject(value)) return fail(problems, path, value, `an object (${what})`);
    let isValid = true;
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(fields, key)) continue;
      isValid = false;
      if (isFull(problems)) break;
      reportUnknownKey(problems, what, join(path, key), key, value[key], known);
    }
    const parsed: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(fields)) {
      if (Object.hasOwn(value, key)) parsed[key] = field.parse(value[key], join(path, key), problems);
      else if (field.missing !== 'required') parsed[key] = field.missing.value;
      else {
        failMissing(problems, join(path, key), what);
        isValid = false;
      }
      isValid &&= parsed[key] !== INVALID;
    }
    return isValid ? (parsed as Fielded<F>) : INVALID;
  };
  return describedBy(() => objectSchema(fields), parse);
}

function objectSchema(fields: Fields): JsonSchema {
  const properties = Object.entries(fields).map(([key, {parse, text}]) => {
    const {about = '', ...usual} = text ?? {};
    return [key, {...(about === '' ? {} : {description: about}), ...schemaOf(parse), ...usual}] as const;
  });
  const required = Object.keys(fields).filter(key => fields[key]?.missing === 'required');
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : {required}),
    additionalProperties: false,
  };
}

/**
 * Returns a parser like {@link object} for a whole file. The file may have two more keys, which are ignored if their
 * values are texts: `program` for the version of the program that wrote the file, and `$schema` for the JSON Schema
 * with which editors check the file.
 */
export function file<F extends Fields>(what: string, fields: F): Parser<Fielded<F>> {
  const parse = object(what, fields);
  const schema = (): JsonSchema => {
    const {properties, ...rest} = schemaOf(parse);
    return {...rest, properties: {...OF_ANY_FILE, ...(properties as object)}};
  };
  return describedBy(schema, (value, path, problems) => {
    if (!isObject(value)) return parse(value, path, problems);
    const ours = Object.entries(value).filter(
      ([key, one]) => !(Object.hasOwn(OF_ANY_FILE, key) && typeof one === 'string'),
    );
    return parse(Object.fromEntries(ours), path, problems);
  });
}

const OF_ANY_FILE = {
  $schema: {description: 'The JSON Schema with which editors check the file.', type: 'string'},
  program: {description: 'The version of the program that wrote the file.', type: 'string'},
};

/** Returns a parser of numbers from `min` to `max`. */
export function number(min: number, max: number): Parser<number> {
  return describedBy(
    () => ({type: 'number', minimum: min, maximum: max}),
    (value, path, problems) =>
      typeof value === 'number' && value >= min && value <= max
        ? value
        : fail(problems, path, value, `a number from ${min} to ${max}`, {range: range(min, max, false)}),
  );
}

/** Returns a parser of whole numbers from `min` to `max`. */
export function integer(min: number, max: number): Parser<number> {
  return describedBy(
    () => ({type: 'integer', minimum: min, maximum: max}),
    (value, path, problems) =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
        ? (value as number)
        : fail(problems, path, value, `a whole number from ${min} to ${max}`, {range: range(min, max, true)}),
  );
}

function range(least: number, most: number, isWhole: boolean): NumberRange {
  return {least, most, isWhole};
}

/** Returns a parser that accepts null and the values that `parse` accepts. */
export function orNull<T>(parse: Parser<T>): Parser<T | null> {
  return describedBy(
    () => ({anyOf: [schemaOf(parse), {type: 'null'}]}),
    (value, path, problems) => (value === null ? null : parse(value, path, problems)),
  );
}

export function boolean(): Parser<boolean> {
  return describedBy(
    () => ({type: 'boolean'}),
    (value, path, problems) => (typeof value === 'boolean' ? value : fail(problems, path, value, 'true or false')),
  );
}

/** Returns a parser of texts of any length, including empty ones. */
export function anyText(): Parser<string> {
  return describedBy(
    () => ({type: 'string'}),
    (value, path, problems) => (typeof value === 'string' ? value : fail(problems, path, value, 'a text')),
  );
}

/** Returns a parser of texts of 1 to `most` characters. */
export function text(most: number): Parser<string> {
  return describedBy(
    () => ({type: 'string', minLength: 1, maxLength: most}),
    (value, path, problems) =>
      typeof value === 'string' && value !== '' && value.length <= most
        ? value
        : fail(problems, path, value, `a text of 1 to ${most} characters`),
  );
}

/** Returns a parser that accepts only these words. */
export function oneOf<const W extends readonly string[]>(words: W): Parser<W[number]> {
  return describedBy(
    () => ({enum: words}),
    (value, path, problems) => {
      if (typeof value === 'string' && words.includes(value)) return value as W[number];
      const near = typeof value === 'string' ? nearest(value, words) : undefined;
      const hint = near === undefined ? '' : `; did you mean "${near}"?`;
      return fail(problems, path, value, words.map(word => `"${word}"`).join(' or '), {hint});
    },
  );
}

/** Returns a parser of lists of `min` to `max` items, each of which `item` parses. */
export function list<T>(item: Parser<T>, min: number, max: number): Parser<readonly T[]> {
  const count = min === max ? `${min}` : `${min} to ${max}`;
  const parse: Parser<readonly T[]> = (value, path, problems) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      return fail(problems, path, value, `a list of ${count} items`);
    }
    const items: T[] = [];
    for (const [index, entry] of value.entries()) {
      const parsed = item(entry, `${path}[${index}]`, problems);
      if (parsed !== INVALID) items.push(parsed);
      else if (isFull(problems)) break;
    }
    return items.length < value.length ? INVALID : items;
  };
  return describedBy(() => ({type: 'array', items: schemaOf(item), minItems: min, maxItems: max}), parse);
}

/** Reports a value that violates its limit. Returns {@link INVALID}, so that a parser can return the result. */
export function fail(
  problems: Problem[],
  path: string,
  value: unknown,
  limit: string,
  more: {readonly hint?: string; readonly range?: NumberRange} = {},
): typeof INVALID {
  report(problems, path, value, limit, `${problemText(path, value, limit)}${more.hint ?? ''}`, more.range);
  return INVALID;
}

/**
 * Reports that a required value is missing. `what` is text for the message. It names the value or the object that lacks
 * the value.
 */
export function failMissing(problems: Problem[], path: string, what: string): typeof INVALID {
  report(problems, path, undefined, 'required', `${path} is missing (${what})`);
  return INVALID;
}

/** Returns one line for the user that states the value and its limit. */
export function problemText(path: string, value: unknown, limit: string): string {
  return `${path || 'the document'} is ${showValue(value)}: must be ${limit}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reportUnknownKey(
  problems: Problem[],
  what: string,
  path: string,
  key: string,
  value: unknown,
  known: readonly string[],
): void {
  const near = nearest(key, known);
  const hint = near === undefined ? `known keys: ${known.join(', ')}` : `did you mean ${near}?`;
  report(problems, path, value, `one of ${known.join(', ')}`, `${path} is not a setting of ${what}; ${hint}`);
}

function report(
  problems: Problem[],
  path: string,
  value: unknown,
  limit: string,
  message: string,
  range?: NumberRange,
): void {
  if (!isFull(problems)) problems.push({path, value, limit, message, ...(range === undefined ? {} : {range})});
}

/**
 * Returns whether the list has reached its limit, so that no more problems are reported. Nobody fixes more problems at
 * once, and it would take minutes to list a million wrong keys.
 */
function isFull(problems: readonly Problem[]): boolean {
  return problems.length >= MOST_PROBLEMS;
}

/** The largest number of problems that a parser reports. */
export const MOST_PROBLEMS = 50;

function join(path: string, key: string): string {
  const shown = showName(key);
  return path === '' ? shown : `${path}.${shown}`;
}
