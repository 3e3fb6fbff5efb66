import type {ReadJson} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isScenarioLink} from '../../app/run/scenario/link.ts';
import {presetHint, readText} from '../../app/run/scenario/readScenario.ts';
import {type ParsedScenario, parseScenario} from '../../app/run/scenario/scenario.ts';
import {readFile} from '../../app/run/trace/readScenarioFile.ts';

/**
 * The scenario of a document that the program was asked to open: JSON, a link, or a preset's name. For a name, the
 * document's text is that name.
 */
export function parseOpened({name, text, problem}: OpenedDocument): ParsedScenario {
  if (problem !== undefined) return refused(problem);
  const parsed = parse(readText(text));
  // for a file the text is the file's contents, so that equal name and text mean that no file was found
  const isName = name === text && !isScenarioLink(text) && !text.trim().startsWith('{');
  if (parsed.ok || !isName) return parsed;
  return refused(`no preset, file or link ${showName(name)}; ${presetHint(name)}`);
}

/** The scenario in a file: a scenario document, or a trace file of a run of it. */
export function parseFile(bytes: Uint8Array): ParsedScenario {
  return parse(readFile(bytes));
}

function parse(read: ReadJson): ParsedScenario {
  return read.ok ? parseScenario(read.value) : refused(`it holds no scenario: ${read.message}`);
}

function refused(message: string): ParsedScenario {
  return {ok: false, problems: [{path: '', value: null, limit: 'a scenario', message}]};
}
