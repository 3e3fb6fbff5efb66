import {findPreset} from '../../app/scenario/presets.ts';
import {readJson} from '../../app/scenario/readJson.ts';
import {type ParsedScenario, parseScenario} from '../../app/scenario/scenario.ts';
import {decodeRun} from '../../app/trace/runFile.ts';
import {isScenarioLink, linkText} from './link.ts';

/** A scenario from text: a document's JSON, a link, or a preset's name. */
export function readScenario(text: string): ParsedScenario {
  const preset = findPreset(text.trim());
  if (preset !== undefined) return parseScenario(preset.scenario);
  const json = isScenarioLink(text) ? linkText(text) : text;
  if (json === undefined) return wrong(text, 'a link that was copied whole');
  const read = readJson(json);
  return read.ok ? parseScenario(read.value) : wrong(text, `a scenario document in JSON (${read.message})`);
}

/** A scenario from a file's bytes: a scenario document, or the trace file of a run of it. */
export function readScenarioFile(bytes: Uint8Array): ParsedScenario {
  if (new TextDecoder().decode(bytes.subarray(0, 7)) !== 'ILTRACE') {
    return readScenario(new TextDecoder().decode(bytes));
  }
  const decoded = decodeRun(bytes);
  return decoded.ok
    ? parseScenario(decoded.run.scenario)
    : wrong('', `a whole trace file (${decoded.message})`);
}

function wrong(value: string, limit: string): ParsedScenario {
  return {ok: false, problems: [{path: '', value: value.slice(0, 80), limit, message: `must be ${limit}`}]};
}
