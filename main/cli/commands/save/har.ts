import {har as harOf} from '../../../../app/export/har.ts';
import {pageAs} from '../../../../app/page/page.ts';
import {programVersion} from '../../../files/program.ts';
import {command} from '../../command.ts';
import {OUT_COMPRESSED} from '../../options/output.ts';
import {SCENARIO_OPTIONS} from '../../options/scenario.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {loadPane, PANE, type PaneSettings, type Prepared, paneSettings, savePane} from './saved.ts';

interface HarSettings extends PaneSettings {
  readonly hasContent: boolean;
}

export const har = command({
  name: 'har',
  group: 'Save a load for other programs',
  summary: 'Save the requests of one pane, for the DevTools of a browser',
  usage: ['--out FILE [options]'],
  options: {
    ...SCENARIO_OPTIONS,
    pane: PANE,
    content: {type: 'boolean', help: 'Includes the bytes that arrived of each object.'},
    out: {
      ...OUT_COMPRESSED,
      help: 'The file to write; DevTools expect .har. It is compressed if its name ends in .gz; - is standard output.',
    },
    ...ACCESS_OPTIONS,
  },
  details: `
The command computes the load of one pane and saves it as an HTTP archive (HAR 1.2) with the requests and their times.
Virtual time has no date, so the load begins at the start of the year 2000. The time of an object is measured from the
moment when the client found its address, and that of the first object from navigation. The objects of a page from
the web keep their addresses.
`,
  examples: [
    {
      does: 'Open the requests of the second pane in DevTools',
      line: 'interleave har --scenario n07-movie --pane 2 --out sctp.har',
    },
  ],
  read: ({values}): HarSettings => ({...paneSettings(values), hasContent: values.content ?? false}),
  run: (settings, context) => savePane(settings, context, load => encode(load, settings)),
});

function encode(load: Prepared, {pane: number, hasContent}: HarSettings): Uint8Array {
  const {trace, pane, title} = loadPane(load, number);
  const page = pageAs(load.page, pane.conversion);
  return new TextEncoder().encode(
    harOf(trace, {page, pane, isLive: false, title, version: programVersion(), hasContent}),
  );
}
