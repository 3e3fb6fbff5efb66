import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {expect, test} from 'vitest';
import {fixturePage, GOLDEN_PAGES, GOLDEN_PERCENTS, GOLDENS, goldenRows, openMeasuring} from './measuring.ts';

// A quality curve says how similar each prefix of a picture file looks to the whole picture.
// `npx vitest run --config e2e/make.config.ts qualityGoldens` measures the curves of the fixtures' pictures again, and
// writes the goldens. If the curves change, raise MEASURING_VERSION (app/run/quality/curve.ts).

test('the curves of the fixtures’ pictures', async () => {
  const measuring = await openMeasuring();
  const rows: string[] = [];
  for (const name of GOLDEN_PAGES) {
    const page = await fixturePage(name);
    const {quality} = await measuring.measure(page);
    if (quality !== null) rows.push(...goldenRows(name, page, quality));
  }
  await measuring.close();
  expect(rows.length).toBeGreaterThan(40);
  const head = ['picture', 'px²', 'scans', ...GOLDEN_PERCENTS.map(percent => `${percent} %`)].join('\t');
  mkdirSync(dirname(GOLDENS), {recursive: true});
  writeFileSync(GOLDENS, `${[head, ...rows].join('\n')}\n`);
});
