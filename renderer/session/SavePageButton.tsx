import type {ReactNode} from 'react';
import type {BundleSource} from '../../app/run/scenario/pageSource.ts';
import {saveBytes} from '../kit/savedFile.ts';
import {useSession} from './context.tsx';
import {zipName} from './pages.ts';

interface SavePageButtonProps {
  readonly page: BundleSource;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A button that saves a page as a zip. The page must have been opened. The zip can be opened as the same page. */
export function SavePageButton({page, className, children}: SavePageButtonProps) {
  const {pages, notices} = useSession();
  return (
    <button
      type="button"
      className={className}
      title="save the page as a zip that can be opened again"
      onClick={async () => {
        const answer = await pages.zipOf(page);
        if (answer.ok) saveBytes(zipName(page), answer.zip, 'application/zip');
        else notices.showMessage(answer.message);
      }}
    >
      {children}
    </button>
  );
}
