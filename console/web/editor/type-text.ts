/** Replaces what is selected as if it was typed, so that the browser can undo it. */
export function typeText(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else leaves undo as it is, and browsers keep it
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
