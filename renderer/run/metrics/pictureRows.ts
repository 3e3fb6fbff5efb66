import type {Conversion} from '../../../app/page/conversion.ts';
import type {ConvertedPage} from '../../../app/page/page.ts';

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
