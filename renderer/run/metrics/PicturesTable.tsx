import {useMemo} from 'react';
import type {Conversion} from '../../../app/page/conversion.ts';
import type {ConvertedPage} from '../../../app/page/page.ts';
import {conversionText} from '../../../app/pipelines/settingTexts.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {useSession, useSessionState} from '../../session/context.ts';
import {isDimmed} from '../../session/hovered.ts';
import type {ShownRun} from '../../session/loads.ts';

interface PicturesTableProps {
  readonly run: ShownRun;
  readonly theme: Theme;
}

/** What gateways make of each picture: its bytes before and after, and what that took. None where all is as served. */
export function PicturesTable({run: {page}, theme}: PicturesTableProps) {
  const rows = useMemo(() => pictureRows(page), [page]);
  if (page.converted === undefined) return null;
  return (
    <table className="metrics objects pictures">
      <thead>
        <tr>
          <th scope="col">
            pictures, KB <small>ms in no page time</small>
          </th>
          <th scope="col">as served</th>
          {page.converted.map(({conversion}) => (
            <th scope="col" key={conversion}>
              {conversionText(conversion)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row key={row.object} row={row} theme={theme} />
        ))}
      </tbody>
    </table>
  );
}

function Row({row: {object, url, served, made}, theme}: {readonly row: PictureRow; readonly theme: Theme}) {
  const {hover} = useSession().chosen;
  const hovered = useSessionState(state => state.hovered);
  return (
    <tr
      className={isDimmed(hovered, object) ? 'dimmed' : ''}
      onMouseEnter={() => hover([object])}
      onMouseLeave={() => hover([])}
    >
      <th scope="row" title={url}>
        <span style={{color: objectColour(object, theme)}}>■</span> {url}
      </th>
      <td>{served}</td>
      {made.map(({conversion, size, took}) => (
        <td key={conversion}>
          {size} {took !== '' && <small>{took}</small>}
        </td>
      ))}
    </tr>
  );
}

/** A picture, as its table has it. */
export interface PictureRow {
  /** By its number on the page. */
  readonly object: number;
  readonly url: string;
  /** KB. */
  readonly served: string;
  readonly made: readonly {
    readonly conversion: Conversion;
    /** KB; `stays` where it is as it was. */
    readonly size: string;
    readonly took: string;
  }[];
}

/** The pictures that a gateway could convert, in the page's order. */
export function pictureRows({objects, converted = []}: ConvertedPage): readonly PictureRow[] {
  return objects.flatMap(({url, contentType, body}, object): PictureRow[] => {
    const made = converted.map(each => ({
      conversion: each.conversion,
      picture: each.objects[object] ?? null,
    }));
    const isPicture = contentType.startsWith('image/') || made.some(({picture}) => picture !== null);
    if (body === null || !isPicture) return [];
    const columns = made.map(({conversion, picture}) => {
      if (picture === null) return {conversion, size: 'stays', took: ''};
      return {conversion, size: kilobytes(picture.body.length), took: `${Math.round(picture.tookMs)} ms`};
    });
    return [{object, url, served: kilobytes(body.length), made: columns}];
  });
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
