interface NumberInputProps {
  readonly id: string;
  readonly shown: string;
  readonly isWrong: boolean;
  /** The id of the element that says why the number is wrong. */
  readonly describedBy?: string | undefined;
  readonly onType: (text: string) => void;
  /** Called when Enter is pressed, and when the field loses the focus. */
  readonly onLeave: () => void;
  /** Called when Escape is pressed while the number is wrong. */
  readonly onGiveUp: () => void;
}

/** The text field for a number. */
export function NumberInput({id, shown, isWrong, describedBy, onType, onLeave, onGiveUp}: NumberInputProps) {
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
        if (event.key !== 'Escape' || !isWrong) return;
        // otherwise the window would also close what is open
        event.stopPropagation();
        onGiveUp();
      }}
    />
  );
}
