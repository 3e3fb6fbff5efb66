interface NumberInputProps {
  readonly id: string;
  readonly shown: string;
  readonly isWrong: boolean;
  /** Of the element that says why. */
  readonly describedBy?: string | undefined;
  readonly onType: (text: string) => void;
  /** Enter, or the hand is elsewhere. */
  readonly onLeave: () => void;
}

/** What a number is typed into. */
export function NumberInput({id, shown, isWrong, describedBy, onType, onLeave}: NumberInputProps) {
  return (
    <input
      id={id}
      type="text"
      inputMode="decimal"
      value={shown}
      aria-invalid={isWrong}
      aria-describedby={describedBy}
      onChange={event => onType(event.target.value)}
      onBlur={onLeave}
      onKeyDown={event => {
        if (event.key === 'Enter') onLeave();
      }}
    />
  );
}
