interface DownloadProps {
  /** Name of the file. */
  readonly name: string;
  /** Asked for when somebody wants it. */
  readonly text: () => string;
  readonly disabled?: boolean;
  readonly class?: string;
}

/** Hands a text to the user as a file. */
export function DownloadButton({ name, text, disabled = false, class: look }: DownloadProps) {
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([text()], { type: 'text/plain;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    // The browser has taken it by then.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return (
    <button type="button" class={look} disabled={disabled} onClick={download}>
      Download
    </button>
  );
}
