import type {ReadJson} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {presetHint, readText} from '../../app/run/scenario/readScenario.ts';
import {type ParsedScenario, parseScenario} from '../../app/run/scenario/scenario.ts';
import {readFile} from '../../app/run/trace/readScenarioFile.ts';

/** Reads the scenario of a document that the program was asked to open: JSON, a link, or a preset's name. */
export function parseOpened({name, text, problem}: OpenedDocument): ParsedScenario {
  if (problem !== undefined) return refused(problem);
  const parsed = parse(readText(text));
  // the text of a file is its contents; if the text equals the name, no file was found, and the name may be a preset's
  const isName = name === text && !isScenarioLink(text) && !text.trim().startsWith('{');
  if (parsed.ok || !isName) return parsed;
  return refused(`no preset, file or link ${showName(name)}; ${presetHint(name)}`);
}

/** The scenario in a file, which is a scenario document or a trace file. */
export function parseFile(bytes: Uint8Array): ParsedScenario {
  return parse(readFile(bytes));
}

function parse(read: ReadJson): ParsedScenario {
  return read.ok ? parseScenario(read.value) : refused(`it contains no scenario: ${read.message}`);
}

function refused(message: string): ParsedScenario {
  return {ok: false, problems: [{path: '', value: null, limit: 'a scenario', message}]};
}
