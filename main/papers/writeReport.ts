import {join} from 'node:path';
import type {Report} from '../../app/report/report.ts';
import {writeWhole} from '../files/outputFile.ts';

/** Puts a report into a folder that is there. @throws FileError */
export async function writeReport(out: string, report: Report, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(report, null, 1)}\n`);
  await writeWhole(join(out, 'report.json'), bytes, signal);
}
