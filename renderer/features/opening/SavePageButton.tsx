import type {ReactNode} from 'react';
import type {BundleSource} from '../../../app/run/scenario/pageSource.ts';
import {useSession} from '../../session/context.ts';
import {saveBytes} from '../../session/files.ts';
import {zipName} from './zipName.ts';

interface SavePageButtonProps {
  readonly page: BundleSource;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Saves a page that is kept as a zip, in both shells alike: it opens again as the same page. */
export function SavePageButton({page, className, children}: SavePageButtonProps) {
  const {opener} = useSession();
  return (
    <button
      type="button"
      className={className}
      title="save the page as a zip, which opens again"
      onClick={async () => {
        const zip = await opener.zipOf(page);
        if (zip !== undefined) saveBytes(zipName(page), zip, 'application/zip');
      }}
    >
      {children}
    </button>
  );
}
