import {useMemo} from 'react';
import type {Conversion} from '../../../app/page/conversion.ts';
import type {ConvertedPage} from '../../../app/page/page.ts';
import {conversionText} from '../../../app/pipelines/settingTexts.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {isDimmed} from '../../session/hovered.ts';
import type {ShownRun} from '../../session/loads.ts';

interface PicturesTableProps {
  readonly run: ShownRun;
  readonly theme: Theme;
}

/**
 * What gateways convert each picture to: its size before and after the conversion, and how long the conversion takes.
 * Renders nothing if nothing is converted.
 */
export function PicturesTable({run: {page}, theme}: PicturesTableProps) {
  const rows = useMemo(() => pictureRows(page), [page]);
  if (page.converted === undefined) return null;
  return (
    <table className="metrics objects pictures">
      <thead>
        <tr>
          <th scope="col">
            pictures, KB <small>time of the conversion, ms; not part of any page time</small>
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
  const {hover} = useSession().highlights;
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

/** A row of the table of pictures. */
export interface PictureRow {
  /** The object's index on the page. */
  readonly object: number;
  readonly url: string;
  /** The size as the server sends it, KB. */
  readonly served: string;
  readonly made: readonly {
    readonly conversion: Conversion;
    /** The converted size, KB; `unchanged` if the picture is not converted. */
    readonly size: string;
    readonly took: string;
  }[];
}

/** The page's pictures, and whatever else a gateway has converted, in the page's order. */
export function pictureRows({objects, converted = []}: ConvertedPage): readonly PictureRow[] {
  return objects.flatMap(({url, contentType, body}, object): PictureRow[] => {
    const made = converted.map(each => ({
      conversion: each.conversion,
      picture: each.objects[object] ?? null,
    }));
    const isPicture = contentType.startsWith('image/') || made.some(({picture}) => picture !== null);
    if (body === null || !isPicture) return [];
    const columns = made.map(({conversion, picture}) => {
      if (picture === null) return {conversion, size: 'unchanged', took: ''};
      return {conversion, size: kilobytes(picture.body.length), took: `${Math.round(picture.tookMs)} ms`};
    });
    return [{object, url, served: kilobytes(body.length), made: columns}];
  });
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
