import {refusal} from '../../app/base/refusal.ts';
import type {CaptureAnswer, Host, PacketAnswer, Refusal} from '../../app/host/contract.ts';
import {explainedNs, lossFrom, type PaneLoss} from '../../app/run/cause/losses.ts';
import {type PanePacket, packetAt, packetBeside} from '../../app/run/packets/panePacket.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {type Hovered, NONE_HOVERED} from './hovered.ts';
import type {ShownRun} from './loads.ts';
import type {Notice, Notices} from './notices.ts';
import type {Player} from './player.ts';
import type {Slice} from './sessionState.ts';
import {hasHappened} from './sources.ts';
import {sourceOf} from './traceFiles.ts';

/** Which objects, which loss and which packet of the run on screen are highlighted. */
export interface HighlightState {
  /** The objects under the pointer. */
  readonly hovered: Hovered;
  /** The objects that are highlighted while no object is under the pointer: those of a story's step. */
  readonly highlighted: Hovered;
  readonly selected: number | null;
  /** The loss that is explained. */
  readonly chosenLoss: PaneLoss | null;
  /** The packet whose contents are shown. */
  readonly chosenPacket: PanePacket | null;
}

type ShownState = HighlightState & {readonly run: ShownRun | null};

/** Chooses which object, which loss and which packet of the run on screen are highlighted or explained. */
export class Highlights {
  readonly #host: Host;
  readonly #player: Player;
  readonly #state: Slice<ShownState, HighlightState>;
  readonly #notices: Notices;
  /** The notice that there is no further loss, if it was shown. */
  #noMore: Notice | null = null;

  constructor(host: Host, player: Player, state: Slice<ShownState, HighlightState>, notices: Notices) {
    this.#host = host;
    this.#player = player;
    this.#state = state;
    this.#notices = notices;
  }

  /** Highlights the objects under the pointer; none if the list is empty. */
  readonly hover = (objects: readonly number[]): void => {
    const hovered = new Set(objects);
    const before = this.#state.get().hovered;
    // the pointer moves far more often than the objects under it change
    if (hovered.size !== before.size || objects.some(each => !before.has(each))) this.#state.set({hovered});
  };

  /** Sets the objects that are highlighted while no object is under the pointer. */
  readonly highlight = (highlighted: Hovered): void => {
    this.#state.set({highlighted});
  };

  readonly select = (selected: number | null): void => {
    this.#state.set({selected});
  };

  /** Explains the effect of a lost packet; null ends the explanation. */
  readonly chooseLoss = (chosenLoss: PaneLoss | null): void => {
    this.#state.set({chosenLoss});
  };

  /**
   * Chooses a loss and goes to the last moment of its effect, or to the loss if it had no effect. If the loss is
   * already chosen, this ends the choice.
   */
  readonly explainLoss = (loss: PaneLoss): void => {
    const {chosenLoss} = this.#state.get();
    const isChosen = chosenLoss?.pane === loss.pane && chosenLoss.packet === loss.packet;
    if (isChosen) this.chooseLoss(null);
    else this.#explain(loss);
  };

  /**
   * Explains the next or the previous loss of all panes. Losses are in the order of the times at which they are
   * explained. If there is no such loss, a notice says so.
   */
  stepLoss(steps: 1 | -1): void {
    const {run, chosenLoss} = this.#state.get();
    const traces = run?.traces ?? [];
    const next = lossFrom(traces, chosenLoss, this.#player.tNs, steps);
    if (next === null) {
      const hasLosses = traces.some(trace => trace.droppedPackets().length > 0);
      const title = hasLosses ? `There is no ${steps > 0 ? 'later' : 'earlier'} loss` : 'No packet was lost';
      this.#noMore = {title, lines: hasLosses ? [`Press ${steps > 0 ? ',' : '.'} to go back`] : []};
      this.#notices.show(this.#noMore);
      return;
    }
    if (this.#noMore !== null) this.#notices.dismissOnly(this.#noMore);
    this.#noMore = null;
    this.#explain(next);
  }

  #explain(loss: PaneLoss): void {
    const {run} = this.#state.get();
    if (run?.traces[loss.pane]?.droppedPackets().includes(loss.packet) !== true) return;
    this.chooseLoss(loss);
    this.#player.pause();
    void this.#player.seek(explainedNs(run.traces, loss));
  }

  /** Shows the contents of a packet; null closes the contents. */
  readonly choosePacket = (chosenPacket: PanePacket | null): void => {
    this.#state.set({chosenPacket});
  };

  /**
   * Chooses the packet that was sent after (`steps` 1) or before (`steps` -1) the chosen packet in its pane, by client
   * or server. If no packet is chosen yet, this chooses the last packet that the first pane's server has sent at t, or
   * that server's first packet if it has sent none by then.
   */
  stepPacket(steps: 1 | -1): void {
    const {run, chosenPacket} = this.#state.get();
    const traces = run?.traces ?? [];
    const {tNs} = this.#player;
    this.choosePacket(chosenPacket === null ? packetAt(traces, tNs) : packetBeside(traces, chosenPacket, steps));
  }

  /** Clears one choice: first the packet, then the loss, then the object. Returns false if nothing is chosen. */
  clearOne(): boolean {
    const {chosenPacket, chosenLoss, selected} = this.#state.get();
    if (chosenPacket !== null) this.choosePacket(null);
    else if (chosenLoss !== null) this.chooseLoss(null);
    else if (selected !== null) this.select(null);
    else return false;
    return true;
  }

  /** Asks the host for the parts of a packet of the run on screen: headers, chunks, options. */
  readonly partsOf = ({pane, packet}: PanePacket): Promise<PacketAnswer> => {
    const {run} = this.#state.get();
    if (run === null) return Promise.resolve(refusal('there is no run'));
    if (hasHappened(run, pane)) return Promise.resolve(NO_LIVE_PACKETS);
    const {scenario, page, pane: place} = sourceOf(run, pane);
    return this.#host.packetParts(scenarioDocument(scenario), page.hash, place, packet, 'packet');
  };

  /** Asks the host for all packets of a pane of the run. */
  readonly captureOf = (run: ShownRun, pane: number): Promise<CaptureAnswer> => {
    if (hasHappened(run, pane)) return Promise.resolve(NO_LIVE_PACKETS);
    const {scenario, page, pane: place} = sourceOf(run, pane);
    return this.#host.capture(scenarioDocument(scenario), page.hash, place, 'capture');
  };
}

export const NOTHING_HIGHLIGHTED: HighlightState = {
  hovered: NONE_HOVERED,
  highlighted: NONE_HOVERED,
  selected: null,
  chosenLoss: null,
  chosenPacket: null,
};

const NO_LIVE_PACKETS: Refusal = {
  ok: false,
  problems: [],
  message: 'the bytes of the packets of a live or captured load are not stored',
};
