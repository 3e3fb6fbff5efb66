import {type KeyboardEvent, type PointerEvent, useRef} from 'react';
import type {Step} from '../../../app/telling/story/story.ts';
import {movedNumber, plainText, type StoryNumber, textParts} from '../../../app/telling/story/storyNumbers.ts';
import {useEditing} from '../../kit/editing.ts';
import {together} from '../../movie/StoryLine.tsx';
import {useSessionState} from '../../session/context.tsx';
import {usePathInForce} from '../../session/usePathInForce.ts';

interface StoryTextProps {
  readonly step: Step;
  /** Whether the step's run is on screen. */
  readonly isShown: boolean;
}

/** The text of the current step. While the step's run is on screen, the user can drag the numbers in the text. */
export function StoryText({step, isShown}: StoryTextProps) {
  if (!isShown) return together(plainText(step));
  return textParts(step.text).map((part, k) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part of the text is identified by its position
    typeof part === 'string' ? together(part) : <DraggedNumber key={k} number={part.number} />,
  );
}

/**
 * A number in the text. It is changed with the pointer or the arrow keys, like a slider of the settings: the run is
 * computed again, and the change can be undone. It ignores Page Up and Page Down, the keys of a page turner (a
 * presenter's remote control).
 */
function DraggedNumber({number}: {readonly number: StoryNumber}) {
  const {edit, endEdit, useProblem} = useEditing();
  const whole = useSessionState(state => state.scenario);
  const path = usePathInForce();
  const scenario = {...whole, path};
  const key = number.keyOf(scenario);
  const problem = useProblem(key);
  const drag = useRef<{readonly x: number; readonly from: number} | null>(null);
  const value = number.read(scenario);
  if (value === null) return '–';
  const text = number.textOf(value);
  const set = (moved: number) => {
    if (moved !== value) edit(key, moved);
  };
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    // otherwise the browser would select text
    event.preventDefault();
    event.currentTarget.focus({focusVisible: false} as FocusOptions);
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = {x: event.clientX, from: value};
  };
  const move = ({clientX}: PointerEvent) => {
    if (drag.current === null) return;
    const {x, from} = drag.current;
    set(movedNumber(number, from, (clientX - x) / PIXELS_PER_NOTCH));
  };
  const end = () => {
    if (drag.current !== null) endEdit();
    drag.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const sign = SIGNS[event.key];
    if (sign === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // otherwise the window would go to the next event of the run
    event.stopPropagation();
    set(movedNumber(number, value, event.shiftKey ? sign * 10 : sign));
  };
  return (
    <span
      className="story-number"
      role="spinbutton"
      tabIndex={0}
      aria-label={number.label}
      aria-valuenow={value}
      aria-valuemin={number.least}
      aria-valuemax={number.most}
      aria-valuetext={text}
      aria-invalid={problem !== null}
      title={problem?.message ?? `${number.label}: drag it, or use the arrow keys`}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onLostPointerCapture={end}
      onKeyDown={press}
      onKeyUp={() => endEdit()}
      onBlur={() => endEdit()}
    >
      {together(text)}
    </span>
  );
}

const PIXELS_PER_NOTCH = 4;
const SIGNS: {readonly [key: string]: 1 | -1} = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1};
