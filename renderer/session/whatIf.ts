import {ownPacketEdit, type PacketEdit, packetEdit} from '../../app/run/cause/dropPacket.ts';
import type {PanePacket} from '../../app/run/packets/panePacket.ts';
import type {Notices} from './notices.ts';
import type {ScenarioHistory} from './scenarioHistory.ts';
import type {SessionState} from './sessionState.ts';
import type {TraceRuns} from './traceRuns.ts';

/** The parts of a session that a what-if needs. */
interface Parts {
  readonly get: () => Pick<SessionState, 'run' | 'scenario' | 'chosenPacket'>;
  readonly history: Pick<ScenarioHistory, 'chooseAll'>;
  readonly traces: Pick<TraceRuns, 'panesOf'>;
  readonly notices: Notices;
}

/** Drops single packets of the run on screen, or delivers them, as steps of the history. */
export class WhatIf {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The edit that {@link apply} makes, or why there is none. */
  editOf(packet: PanePacket): PacketEdit {
    return this.#edit(packet, packetEdit);
  }

  /** The edit that {@link applyOwn} makes, or why there is none. */
  ownEditOf(packet: PanePacket): PacketEdit {
    return this.#edit(packet, ownPacketEdit);
  }

  #edit(packet: PanePacket, edit: typeof packetEdit): PacketEdit {
    const {run, scenario} = this.#parts.get();
    if (run === null) return {ok: false, message: 'there is no run'};
    if (this.#parts.traces.panesOf(scenario) !== undefined)
      return {ok: false, message: 'these are trace files: their packets cannot be dropped'};
    if (run.scenario !== scenario)
      return {ok: false, message: 'the run of these settings is still being computed: try again'};
    return edit(scenario, run.traces, packet);
  }

  /** Drops the packet in all panes, or delivers it if it was lost. If that cannot be done, a notice says why. */
  readonly apply = (packet: PanePacket): void => this.#apply(this.editOf(packet));

  /**
   * Drops the packet in its own pane only, or delivers it if only this pane dropped it. If that cannot be done, a
   * notice says why.
   */
  readonly applyOwn = (packet: PanePacket): void => this.#apply(this.ownEditOf(packet));

  #apply(edit: PacketEdit): void {
    const {notices, history} = this.#parts;
    if (edit.ok) history.chooseAll([[edit.key, edit.value]]);
    else notices.showMessage(`The packet stays as it is: ${edit.message}`);
  }

  /** Calls {@link apply} for the packet that is shown. If no packet is shown, a notice says how to choose one. */
  applyToChosen(): void {
    this.#withChosen(this.apply);
  }

  /** Calls {@link applyOwn} for the packet that is shown. If no packet is shown, a notice says how to choose one. */
  applyOwnToChosen(): void {
    this.#withChosen(this.applyOwn);
  }

  #withChosen(apply: (packet: PanePacket) => void): void {
    const {chosenPacket} = this.#parts.get();
    if (chosenPacket !== null) apply(chosenPacket);
    else this.#parts.notices.showMessage('Choose a packet first: press I, or click on one in the view of packets');
  }
}
