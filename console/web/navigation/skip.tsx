interface SkipProps {
  /** Id of what takes the focus. */
  readonly to: string;
  readonly children: string;
}

/** For the keyboard, seen once it has the focus. The address stays as it is: it says what the page shows. */
export function Skip({ to, children }: SkipProps) {
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById(to)?.focus();
  };
  return (
    <a class="skip" href={`#${to}`} onClick={skip}>
      {children}
    </a>
  );
}
