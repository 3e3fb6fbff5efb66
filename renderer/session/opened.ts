import type {ReadJson} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {presetHint, readText} from '../../app/run/scenario/readScenario.ts';
import {type ParsedScenario, parseScenario} from '../../app/run/scenario/scenario.ts';
import {readFile} from '../../app/run/trace/readScenarioFile.ts';

/** What a shell was asked to open: a document's JSON, a link, or a preset's name, which is its own text. */
export function parseOpened({name, text, problem}: OpenedDocument): ParsedScenario {
  if (problem !== undefined) return refused(problem);
  const parsed = parse(readText(text));
  // of a file a shell gives the text: what stands for itself is none
  const isName = name === text && !isScenarioLink(text) && !text.trim().startsWith('{');
  if (parsed.ok || !isName) return parsed;
  return refused(`no preset, file or link ${showName(name)}; ${presetHint(name)}`);
}

/** A scenario from a file's bytes: a scenario document, or the trace file of a run of it. */
export function parseFile(bytes: Uint8Array): ParsedScenario {
  return parse(readFile(bytes));
}

function parse(read: ReadJson): ParsedScenario {
  return read.ok ? parseScenario(read.value) : refused(`it holds no scenario: ${read.message}`);
}

function refused(message: string): ParsedScenario {
  return {ok: false, problems: [{path: '', value: null, limit: 'a scenario', message}]};
}
