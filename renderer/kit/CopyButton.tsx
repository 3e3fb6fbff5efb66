import {useEffect, useState} from 'react';

interface CopyButtonProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly title: string;
  /** Returns the text to copy. Called when the button is pressed. */
  readonly text: () => string;
}

/** A button that copies a text and confirms that for a moment. Its width stays the same. */
export function CopyButton({label, isDisabled = false, title, text}: CopyButtonProps) {
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (copies === 0) return;
    const timer = window.setTimeout(() => setCopies(0), SAID_MS);
    return () => window.clearTimeout(timer);
  }, [copies]);
  return (
    <button
      type="button"
      className="copy"
      disabled={isDisabled}
      title={title}
      onClick={() => {
        copyText(text());
        setCopies(copies + 1);
      }}
    >
      <span className={copies > 0 ? 'unseen' : ''}>{label}</span>
      <span className="copied" aria-live="polite">
        {copies > 0 && 'Copied'}
      </span>
    </button>
  );
}

/** Copies without the clipboard permission, because Electron's window denies all permissions. */
function copyText(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

const SAID_MS = 1500;
