import type {Aim} from '../../app/advice/aims.ts';

/** Why there is no advice for an aim. */
export function absentText({name, label}: Aim, isMeasured: boolean): string {
  const why =
    name === 'recognisable' && !isMeasured
      ? 'the page’s pictures are not measured'
      : 'the page has no pictures';
  return `No advice for ‘${label}’: ${why}.`;
}
