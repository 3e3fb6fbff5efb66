// @vitest-environment jsdom
import {act} from 'react';
import {createRoot} from 'react-dom/client';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {Player} from '../../session/player.ts';
import type {Point} from './drawing.ts';
import {hitAt} from './folded.ts';
import {shownTimelineOf} from './shownTimeline.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

// What a press on the timeline does while the run is drawn only up to t.

vi.hoisted(() => {
  // jsdom has no layout and none of these functions
  class Observer {
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal('getComputedStyle', () => ({fontSize: '12px'}));
  Object.assign(HTMLCanvasElement.prototype, {getContext: () => null});
  Object.assign(HTMLElement.prototype, {setPointerCapture: () => undefined});
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(640);
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(300);
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
const {Timeline} = await import('./Timeline.tsx');

const [shown] = GOLDEN_MODELS.find(({name}) => name === 'packets-stacked')?.model.panes ?? [];
if (shown === undefined) throw new Error('there is no such golden');
const {trace} = shown;
const [packet = -1] = trace.droppedPackets();
const lostNs = trace.data.packets.fateNs[packet] ?? 0;

let player: Player;
let chosen: number[];
let unmount: () => void;
beforeEach(() => {
  player = new Player();
  player.setEnd(trace.data.endNs);
  chosen = [];
  const choose = (loss: {readonly packet: number}): void => void chosen.push(loss.packet);
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  unmount = () => root.unmount();
  act(() =>
    root.render(
      <Timeline
        panes={[shown]}
        player={player}
        view="packets"
        axis="bytes"
        eye={null}
        layout="stacked"
        theme="light"
        hovered={new Set()}
        selected={null}
        onHover={() => undefined}
        onSelect={() => undefined}
        chosenLoss={null}
        onChooseLoss={choose}
        chosenPacket={null}
        onChoosePacket={() => undefined}
        renderMenu={clicked => <p className="menu">{clicked.packet}</p>}
        zoom={null}
        onZoom={() => undefined}
        changes={[]}
        isUpToT
      />,
    ),
  );
});
afterEach(() => {
  act(() => unmount());
  document.body.replaceChildren();
});

const area = (): HTMLElement => {
  const element = document.querySelector<HTMLElement>('.timeline');
  if (element === null) throw new Error('there is no timeline');
  return element;
};

/** A point of the cross of the lost packet, CSS px. */
function crossPoint(): Point {
  const model = shownTimelineOf(area())?.model;
  if (model === undefined) throw new Error('the timeline shows nothing');
  for (let y = 0; y < model.height; y += 2) {
    for (let x = 0; x < model.width; x += 2) {
      const hit = hitAt(model, {x, y});
      if (hit?.kind === 'loss' && hit.packet === packet) return {x, y};
    }
  }
  throw new Error('the lost packet is not found');
}

async function pressAt({x, y}: Point): Promise<void> {
  const at = {clientX: x, clientY: y, bubbles: true, cancelable: true};
  await act(async () => void area().dispatchEvent(new PointerEvent('pointerdown', {...at, button: 0, pointerId: 1})));
}

function openMenuAt({x, y}: Point): string | null | undefined {
  const at = {clientX: x, clientY: y, bubbles: true, cancelable: true};
  act(() => void area().dispatchEvent(new MouseEvent('contextmenu', at)));
  return document.querySelector('.menu')?.textContent;
}

test('a press on a lost packet chooses it once it is drawn; before, the press moves t', async () => {
  await pressAt(crossPoint());
  expect(chosen).toEqual([]);
  expect(Math.abs(player.tNs - lostNs)).toBeLessThan(30e6);
  await act(() => player.seek(trace.data.endNs));
  await pressAt(crossPoint());
  expect(chosen).toEqual([packet]);
  expect(player.tNs).toBe(trace.data.endNs);
});

test('the context menu is that of a lost packet only once the packet is drawn', async () => {
  expect(openMenuAt(crossPoint())).toBeUndefined();
  await act(() => player.seek(trace.data.endNs));
  expect(openMenuAt(crossPoint())).toBe(String(packet));
});
