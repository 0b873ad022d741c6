/**
 * The text on one line. Names and messages are written by strangers: no control character of theirs reaches a terminal,
 * and none that changes the direction of what follows.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
