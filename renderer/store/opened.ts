import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {findPreset, PRESETS} from '../../app/scenario/presets.ts';
import {readJson} from '../../app/scenario/readJson.ts';
import {type ParsedScenario, parseScenario} from '../../app/scenario/scenario.ts';
import {showName} from '../../app/scenario/show.ts';
import {nearest} from '../../app/scenario/spelling.ts';
import {decodeRun} from '../../app/trace/runFile.ts';
import {isScenarioLink, linkText} from './link.ts';

/** What a shell was asked to open: a document's JSON, a link, or a preset's name, which is its own text. */
export function readOpened({name, text}: OpenedDocument): ParsedScenario {
  const parsed = readText(text);
  // of a file a shell gives the text: what stands for itself is none
  const isName = name === text && !isScenarioLink(text) && !text.trim().startsWith('{');
  return isName && !parsed.ok ? noSuch(name) : parsed;
}

/** A scenario from a file's bytes: a scenario document, or the trace file of a run of it. */
export function readScenarioFile(bytes: Uint8Array): ParsedScenario {
  if (new TextDecoder().decode(bytes.subarray(0, 7)) !== 'ILTRACE') {
    return readText(new TextDecoder().decode(bytes));
  }
  const decoded = decodeRun(bytes);
  return decoded.ok
    ? parseScenario(decoded.run.scenario)
    : wrong('', `a whole trace file (${decoded.message})`);
}

function readText(text: string): ParsedScenario {
  const preset = findPreset(text.trim());
  if (preset !== undefined) return parseScenario(preset.scenario);
  const json = isScenarioLink(text) ? linkText(text) : text;
  if (json === undefined) return wrong(text, 'a link that was copied whole');
  const read = readJson(json);
  return read.ok ? parseScenario(read.value) : wrong(text, `a scenario document (${read.message})`);
}

function noSuch(name: string): ParsedScenario {
  const near = nearest(
    name,
    PRESETS.map(preset => preset.name),
  );
  const hint = near === undefined ? 'interleave presets lists the presets' : `did you mean ${near}?`;
  const limit = 'a preset, a file or a link';
  const message = `no preset, file or link ${showName(name)}; ${hint}`;
  return {ok: false, problems: [{path: '', value: name, limit, message}]};
}

function wrong(value: string, limit: string): ParsedScenario {
  return {
    ok: false,
    problems: [{path: '', value: value.slice(0, SHOWN_CHARACTERS), limit, message: `must be ${limit}`}],
  };
}

/** Enough to recognise it in a one-line message. */
const SHOWN_CHARACTERS = 80;
