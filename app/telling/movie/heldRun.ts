import type {Json} from '../../base/json.ts';

/** In a scenario's place, for pictures of a run that happened: a trace file that the host holds, by its name there. */
export function heldRunDocument(run: string): Json {
  return {heldRun: run};
}

/** The name of the run that is held; undefined for a scenario. */
export function heldRunOf(document: Json): string | undefined {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const {heldRun} = document as {readonly heldRun?: Json};
  return typeof heldRun === 'string' ? heldRun : undefined;
}
