import type {CauseMark} from '../../../app/run/cause/marks.ts';

/** A box of the page on the screen, CSS px of the holder. */
export interface MarkPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** What a loss did to each object, written on its box; those without a box are left out. */
export function showMarks(
  holder: HTMLElement,
  marks: readonly CauseMark[],
  placeOf: (object: number) => MarkPlace | undefined,
): void {
  const labels = marks.flatMap(({object, text}) => {
    const place = placeOf(object);
    if (place === undefined) return [];
    const label = document.createElement('span');
    label.className = 'pane-cause';
    label.textContent = text;
    label.dataset['cause'] = String(object);
    label.style.translate = `${place.left}px ${place.top}px`;
    label.style.maxWidth = `${place.width}px`;
    return [label];
  });
  holder.replaceChildren(...labels);
}
