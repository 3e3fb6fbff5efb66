import type {Json} from '../base/json.ts';

/** The fields of a JSON object. */
export type Fields = {readonly [key: string]: Json};

/** Returns the fields of a JSON object. Returns no fields for any other value. */
export function objectOf(value: Json | undefined): Fields {
  return isObject(value) ? value : NO_FIELDS;
}

/** Returns the items of a JSON list. Returns none for any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/**
 * Returns a number that is not negative. The value may be a text with a number, as some programs write it. Undefined
 * for other values, and for numbers above 2^53 − 1, which JavaScript may not represent exactly.
 */
export function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Returns a text. Undefined for any other value. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NO_FIELDS: Fields = {};
const NO_ITEMS: readonly Json[] = [];
