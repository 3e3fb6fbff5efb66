// @vitest-environment jsdom
import {act} from 'react';
import {createRoot} from 'react-dom/client';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory, type Step} from '../../../app/telling/story/story.ts';
import {SessionProvider} from '../../session/context.tsx';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {StepFields, TimeField} from './StepFields.tsx';
import {StoryText} from './StoryText.tsx';

// These tests check the numbers in a step's text that the user can drag, and the fields for a step's text and times.

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);

let unmount: () => void = () => undefined;
let asked: Json[] = [];
beforeEach(() => {
  asked = [];
  Object.assign(HTMLElement.prototype, {setPointerCapture: () => undefined});
});
afterEach(() => {
  act(() => unmount());
  document.body.replaceChildren();
});

function stepOf(document: object): Step {
  const parsed = parseStory({story: 1, title: 'x', steps: [document]});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  const [step] = parsed.story.steps;
  if (step === undefined) throw new Error('a story of one step');
  return step;
}

const step = stepOf({scenario: 'n07-movie', text: 'After {rtt}, {loss} of it.'});

/** A window that shows the text of the step. Its host never answers. */
function shown(isShown = true): Session {
  const host = {
    on: () => () => undefined,
    cancelLoad: async () => undefined,
    openPage: (page: Json) => {
      asked.push(page);
      return new Promise(() => undefined);
    },
  } as unknown as Host;
  const session = new Session(host, new Player(), step.scenario);
  const root = createRoot(document.body.appendChild(document.createElement('p')));
  unmount = () => root.unmount();
  act(() =>
    root.render(
      <SessionProvider session={session}>
        <StoryText step={step} isShown={isShown} />
      </SessionProvider>,
    ),
  );
  return session;
}

const number = (label: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`[role=spinbutton][aria-label="${label}"]`);
  if (found === null) throw new Error(`no number is called ${label}`);
  return found;
};
const text = () => document.querySelector('p')?.textContent?.replaceAll('\u00a0', ' ');
const point = (target: Element, type: string, clientX: number) =>
  act(() => void target.dispatchEvent(new MouseEvent(type, {clientX, bubbles: true, button: 0})));
const press = (target: Element, key: string, more: KeyboardEventInit = {}) =>
  act(() => void target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...more})));

test('dragging a number changes the run on screen, in one step of the history', () => {
  const {store, history} = shown();
  expect(text()).toBe('After 1080 ms, 4.3 % of it.');
  const rtt = number('RTT');
  point(rtt, 'pointerdown', 100);
  point(rtt, 'pointermove', 104);
  point(rtt, 'pointermove', 105);
  expect(store.getState().scenario.path.rttMs).toEqual({down: 1200, up: 1200});
  expect(text()).toBe('After 1200 ms, 4.3 % of it.');
  point(rtt, 'pointermove', 92);
  expect(text()).toBe('After 990 ms, 4.3 % of it.');
  expect(rtt.getAttribute('aria-valuenow')).toBe('990');
  expect(rtt.getAttribute('aria-valuetext')).toBe('990 ms');
  point(rtt, 'pointerup', 92);
  point(rtt, 'pointermove', 300);
  expect(text()).toBe('After 990 ms, 4.3 % of it.');
  expect(store.getState().past).toHaveLength(1);
  act(() => history.undo());
  expect(text()).toBe('After 1080 ms, 4.3 % of it.');
});

test('with edits from t on, a number has its value at t and follows the drag, also before a later change', () => {
  const session = shown();
  const {store, history, player} = session;
  act(() => {
    player.setEnd(10e9);
    history.choose('changes', [{atMs: 8000, path: {rttMs: 300}}]);
    session.display.set({isFromNow: true});
    void player.seek(4e9);
  });
  expect(text()).toBe('After 1080 ms, 4.3 % of it.');
  point(number('RTT'), 'pointerdown', 100);
  point(number('RTT'), 'pointermove', 104);
  expect(text()).toBe('After 1200 ms, 4.3 % of it.');
  point(number('RTT'), 'pointerup', 104);
  expect(text()).toBe('After 1200 ms, 4.3 % of it.');
  expect(store.getState().scenario.changes).toMatchObject([
    {atMs: 4000, path: {rttMs: {down: 1200, up: 1200}}},
    {atMs: 8000, path: {rttMs: {down: 300, up: 300}}},
  ]);
  act(() => void player.seek(9e9));
  expect(text()).toBe('After 300 ms, 4.3 % of it.');
});

test('the history has a separate step for each drag', () => {
  const {store} = shown();
  for (const way of [1, -1]) {
    point(number('RTT'), 'pointerdown', 100);
    point(number('RTT'), 'pointermove', 100 + 20 * way);
    point(number('RTT'), 'pointerup', 100 + 20 * way);
  }
  expect(store.getState().past).toHaveLength(2);
});

test('the arrow keys change a number and do not reach the window; the keys of a page turner do', () => {
  const {store} = shown();
  const heard: string[] = [];
  const hear = ({key}: KeyboardEvent) => heard.push(key);
  window.addEventListener('keydown', hear);
  press(number('loss'), 'ArrowRight');
  expect(store.getState().scenario.path.loss.down).toMatchObject({rate: 0.044});
  press(number('loss'), 'ArrowDown', {shiftKey: true});
  expect(text()).toBe('After 1080 ms, 3.4 % of it.');
  press(number('loss'), 'PageDown');
  press(number('loss'), ' ');
  window.removeEventListener('keydown', hear);
  expect(heard).toEqual(['PageDown', ' ']);
});

test('until the run of a step is on screen, the numbers in the step’s text are plain text', () => {
  const {history} = shown(false);
  act(() => history.choose('path.rttMs', 20));
  expect(text()).toBe('After 1080 ms, 4.3 % of it.');
  expect(document.querySelector('[role=spinbutton]')).toBeNull();
});

test('a typed text that names an unknown number is marked, and the step keeps its text', () => {
  const {changes} = stepFields();
  const field = document.querySelector('textarea');
  type(field, 'After {rt}.');
  expect(changes).toEqual([]);
  expect(field?.getAttribute('aria-invalid')).toBe('true');
  expect(document.querySelector('[role=alert]')?.textContent).toContain('did you mean {rtt}?');
  type(field, 'After {rtt}.');
  expect(changes).toEqual([{text: 'After {rtt}.'}]);
  expect(field?.getAttribute('aria-invalid')).toBe('false');
});

test('only an empty ‘to’ means the end, and an empty ‘from’ is refused', () => {
  const {fieldOf} = stepFields();
  const [from, to] = ['from', 'to'].map(fieldOf);
  expect([from?.placeholder, to?.placeholder]).toEqual(['', 'end']);
  type(to, '');
  expect(document.querySelector('[role=alert]')).toBeNull();
  type(from, '');
  expect(document.querySelector('[role=alert]')?.textContent).toBe('from must be a time in seconds, from 0 to a day');
});

test('a typed time that is impossible is marked, and a message says what it must be', () => {
  const root = createRoot(document.body.appendChild(document.createElement('p')));
  unmount = () => root.unmount();
  act(() =>
    root.render(
      <TimeField
        label="from"
        valueS={1}
        isGood={s => s !== null && s < 3}
        limit="before 3 s"
        onChange={() => undefined}
      />,
    ),
  );
  const field = document.querySelector('input');
  expect(document.querySelector('[role=alert]')).toBeNull();
  type(field, '4');
  expect(field?.getAttribute('aria-invalid')).toBe('true');
  expect(document.querySelector('[role=alert]')?.textContent).toBe('from must be a time in seconds, before 3 s');
  type(field, '2');
  expect(document.querySelector('[role=alert]')).toBeNull();
});

/** Shows the fields of the step. */
function stepFields() {
  const changes: Partial<Step>[] = [];
  const root = createRoot(document.body.appendChild(document.createElement('ol')));
  unmount = () => root.unmount();
  const nothing = () => undefined;
  act(() =>
    root.render(
      <StepFields
        step={step}
        before={null}
        isShown
        isOnly
        onShow={nothing}
        onMove={nothing}
        onRemove={nothing}
        onTakeOver={nothing}
        onChange={part => changes.push(part)}
      />,
    ),
  );
  const labels = [...document.querySelectorAll('label')];
  const fieldOf = (label: string) =>
    labels.find(({textContent}) => textContent?.startsWith(label))?.querySelector('input') ?? null;
  return {changes, fieldOf};
}

/** Types a text into a field. */
function type(field: HTMLInputElement | HTMLTextAreaElement | null | undefined, value: string): void {
  if (field == null) throw new Error('there is no such field');
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  act(() => void field.dispatchEvent(new Event('input', {bubbles: true})));
}
