/** What of a link element says that it is a style sheet. */
export interface LinkElement {
  readonly rel: string | undefined;
  readonly isDisabled: boolean;
}

/** What a browser does with a link: loads a sheet and keeps to it, loads one that waits for its user, or neither. */
export function sheetLink({rel = '', isDisabled}: LinkElement): 'in use' | 'waiting' | 'none' {
  const kinds = rel.toLowerCase().split(/\s+/);
  if (!kinds.includes('stylesheet')) return 'none';
  return kinds.includes('alternate') || isDisabled ? 'waiting' : 'in use';
}
