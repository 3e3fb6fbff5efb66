/** The attributes of a link element that decide whether it loads a style sheet. */
export interface LinkElement {
  readonly rel: string | undefined;
  readonly isDisabled: boolean;
}

/**
 * What a browser does with a link: it loads and applies the sheet, loads it as an inactive alternative, or does
 * neither.
 */
export function sheetLink({rel = '', isDisabled}: LinkElement): 'in use' | 'waiting' | 'none' {
  const kinds = rel.toLowerCase().split(/\s+/);
  if (!kinds.includes('stylesheet')) return 'none';
  return kinds.includes('alternate') || isDisabled ? 'waiting' : 'in use';
}
