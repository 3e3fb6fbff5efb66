import type {Aim} from '../../../app/study/advice/aims.ts';

/** Why there is no advice for an aim. */
export function absentText({isSeen, label}: Aim, isMeasured: boolean): string {
  const why = isSeen && !isMeasured ? 'the page’s pictures are not measured' : 'the page has no pictures';
  return `No advice for ‘${label}’: ${why}.`;
}
