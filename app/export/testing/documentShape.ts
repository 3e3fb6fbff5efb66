// For tests: checks the fields of a document against a table of its format.

/**
 * The shape of a value: the name of a type (`any`, `text`, `flag`, `number`, `ms`, `date` or `count`), any other string
 * that the value must equal, a table of fields (with `?` after the names of optional ones), or a list whose items all
 * have the same shape.
 */
export type Shape = string | {readonly [field: string]: Shape} | readonly [Shape];

/** Returns one line for each field that is missing, unknown or does not have its shape. */
export function problemsOf(value: unknown, shape: Shape, path = ''): readonly string[] {
  if (typeof shape === 'string') return isOf(value, shape) ? [] : [`${path}: ${JSON.stringify(value)}`];
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${path}: not a list`];
    return value.flatMap((each, i) => problemsOf(each, shape[0], `${path}[${i}]`));
  }
  if (typeof value !== 'object' || value === null) return [`${path}: not an object`];
  const fields = new Map(Object.entries(value));
  const unknown = [...fields.keys()].filter(field => !(field in shape) && !(`${field}?` in shape));
  const known = Object.entries(shape).flatMap(([field, of]) => {
    const name = field.replace('?', '');
    if (!fields.has(name)) return field.endsWith('?') ? [] : [`${path}.${name}: missing`];
    return problemsOf(fields.get(name), of, `${path}.${name}`);
  });
  return [...unknown.map(field => `${path}.${field}: unknown`), ...known];
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && value >= 0;
    case 'ms':
      return value === -1 || isOf(value, 'number');
    case 'date':
      return typeof value === 'string' && /^2000-01-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(value);
    // A safe integer of I-JSON (RFC 7493 §2.2).
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0;
    default:
      return value === type;
  }
}
