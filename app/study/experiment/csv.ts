import type {Json} from '../../base/json.ts';

/** A line of a CSV table. Unlike in RFC 4180, the line ends with a line feed alone. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** A setting's value as a cell of the table: a text unchanged, and anything else as JSON. */
export function settingCell(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function csvCell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
