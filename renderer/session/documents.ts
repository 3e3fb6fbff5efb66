import {showName} from '../../app/base/text.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import type {BundleSource} from '../../app/run/scenario/pageSource.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {MOST_PANES, type ParsedScenario, type Scenario, withoutCapture} from '../../app/run/scenario/scenario.ts';
import {type FilePane, firstChoice, type TraceFile} from '../../app/run/trace/joinRuns.ts';
import {hasNoScenario, isUnknownFile, OPENABLE} from '../../app/run/trace/readScenarioFile.ts';
import {editWholeRun} from './editScenario.ts';
import type {Extension} from './extension.ts';
import {liveServers, otherServers} from './liveServers.ts';
import type {Notices} from './notices.ts';
import {parseFile, parseOpened} from './parseOpened.ts';
import {setOrigin} from './presetOrigin.ts';
import type {RunOnScreen} from './runOnScreen.ts';
import type {ScenarioHistory} from './scenarioHistory.ts';
import type {SessionState} from './sessionState.ts';
import {addedPanes, readTraces} from './traceFiles.ts';
import type {TracePanes, TraceRuns} from './traceRuns.ts';

/** The parts of a session that are needed to open documents. */
interface Parts {
  readonly get: () => SessionState;
  readonly screen: RunOnScreen;
  readonly history: ScenarioHistory;
  readonly traces: TraceRuns;
  readonly notices: Notices;
  readonly extensions: readonly Extension[];
}

/**
 * Opens documents in the window: scenarios (files, links and preset names), trace files, pages, and the formats of
 * features. If a document is invalid, a notice says why, and the run on screen stays.
 */
export class Documents {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens the text of a scenario file or of a link, a preset by its name, or trace files. */
  open(document: OpenedDocument): void {
    const {name, text, traces = []} = document;
    if (traces.length > 0) this.openTraces(traces);
    else if (!this.#openForeign(name, document)) {
      // any web page can contain a link, so the user is asked even if the server is on this machine
      const asked = isScenarioLink(text) ? liveServers : otherServers;
      const parsed = parseOpened(document);
      const preset = findPreset(text.trim());
      if (parsed.ok && preset !== undefined) setOrigin(parsed.scenario, preset.name);
      this.#openAsked(name, parsed, asked);
    }
  }

  /** Opens a file: a scenario, a trace file, or a document in a feature's own format. */
  openFile(name: string, bytes: Uint8Array): void {
    if (this.#openForeign(name, bytes)) return;
    if (isUnknownFile(bytes)) this.#showUnknown(name);
    else if (hasNoScenario(bytes)) this.openTraces([{name, bytes}]);
    else this.#openAsked(name, parseFile(bytes), otherServers);
  }

  /** Shows the recorded runs of trace files beside each other. */
  openTraces(files: readonly TraceFile[]): void {
    const read = readTraces(files);
    if (read.ok) this.#openPanes(files.map(({name}) => name).join(', '), read.panes);
    else this.#showUnopened(read.message);
  }

  /** Shows the recorded runs of trace files beside the run on screen, which is not computed again. */
  addTraces(files: readonly TraceFile[]): void {
    const {get, traces} = this.#parts;
    const {run, scenario} = get();
    const read = readTraces(files);
    if (!read.ok) this.#showUnopened(read.message);
    else if (run === null) this.openTraces(files);
    else this.showTraces(addedPanes(traces.panesOf(scenario), run, read.panes));
  }

  /** Chooses which panes of trace files are shown. This is one step of the history. */
  showTraces(panes: TracePanes): void {
    const {history, traces} = this.#parts;
    history.chooseScenario(traces.stand(panes));
  }

  /** Opens a page with the path and the panes of a scenario. The default path replaces a captured path. */
  openPage(page: BundleSource, scenario: Scenario): void {
    const loadable = withoutCapture(scenario);
    this.#openScenario(page.name, editWholeRun(loadable, 'page', {...page}));
  }

  #openPanes(name: string, panes: readonly FilePane[]): void {
    const {screen, traces, notices} = this.#parts;
    notices.dismiss();
    const shown = firstChoice(panes);
    const scenario = traces.stand({all: panes, shown});
    screen.open({name: showName(name, LONGEST_NAME), scenario, tNs: 0, zoom: null, isResumed: false, plays: true});
    if (shown.length === panes.length) return;
    notices.showMessage(
      `${panes.length} panes are more than ${MOST_PANES}: ${shown.length} are shown; choose others at the side`,
    );
  }

  /** Opens a document in a feature's own format. Returns false if no feature knows the format. */
  #openForeign(name: string, opened: OpenedDocument | Uint8Array): boolean {
    for (const extension of this.#parts.extensions) {
      const read = extension.read?.(opened) ?? null;
      if (read === null) continue;
      if (read.ok) {
        this.#whenAsked(name, read.servers, () => {
          this.#parts.notices.dismiss();
          read.open();
        });
      } else {
        const title = `${showName(name, LONGEST_NAME)} is not ${read.kind}; ${this.#whatStays()}`;
        this.#parts.notices.showMessage(title, read.problems);
        this.#parts.screen.loadIfEmpty();
      }
      return true;
    }
    return false;
  }

  #openAsked(name: string, parsed: ParsedScenario, asked: (scenario: Scenario) => readonly string[]): void {
    this.#whenAsked(name, parsed.ok ? asked(parsed.scenario) : [], () => this.#openScenario(name, parsed));
  }

  /**
   * Calls `act` immediately if there are no servers. Otherwise it asks the user first: somebody else may have written
   * the document, and the servers would get requests from this window, each with the token that the user has set for
   * that server.
   */
  #whenAsked(name: string, servers: readonly string[], act: () => void): void {
    if (servers.length === 0) {
      act();
      return;
    }
    const [what, from] = [name, [...new Set(servers)].join(', ')].map(each => showName(each, LONGEST_NAME));
    this.#parts.notices.show({
      title: `${what} loads from ${from}`,
      lines: [],
      action: {label: `Load from ${from}`, act},
    });
    this.#parts.screen.loadIfEmpty();
  }

  #openScenario(longName: string, parsed: ParsedScenario): void {
    const {screen, notices} = this.#parts;
    const name = showName(longName, LONGEST_NAME);
    if (!parsed.ok) {
      notices.showMessage(`${name} is not a scenario; ${this.#whatStays()}`, parsed.problems);
      screen.loadIfEmpty();
      return;
    }
    notices.dismiss();
    screen.open({name, scenario: parsed.scenario, tNs: 0, zoom: null, isResumed: false, plays: true});
  }

  #showUnknown(name: string): void {
    const title = `${showName(name, LONGEST_NAME)} is not a file that can be opened here; ${this.#whatStays()}`;
    this.#parts.notices.show({title, lines: [OPENABLE]});
    this.#parts.screen.loadIfEmpty();
  }

  #showUnopened(message: string): void {
    this.#parts.notices.showMessage(`${message}; ${this.#whatStays()}`);
    this.#parts.screen.loadIfEmpty();
  }

  /** The end of a notice about a document that is not opened. If nothing is on screen, the demo is loaded. */
  #whatStays(): string {
    return `${this.#parts.get().run === null ? 'the demo' : 'the run on screen'} stays`;
  }
}

/** The largest number of characters of a name in a notice. */
const LONGEST_NAME = 80;
