import type {FigureSubject} from './subject.ts';

/** `page-time-t-n07-hsdpa-n-10`: of files everywhere. */
export function figureName(what: string, {title}: Pick<FigureSubject, 'title'>): string {
  return [what, title].map(slug).filter(Boolean).join('-').slice(0, LONGEST_NAME).replace(/-$/, '');
}

/** `what` is of the x axis, if there is one. */
export function figureTitle(what: string, {title, x}: Pick<FigureSubject, 'title' | 'x'>): string {
  const whole = x.axis.label === '' ? what : `${what} against ${x.axis.label}`;
  return title === '' ? whole : `${whole}: ${title}`;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const LONGEST_NAME = 100;
