import escapeRegExp from 'lodash/escapeRegExp.js';

const MASK = '*****';

/** As they are, and as a server quotes them. */
function spellingsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)];
}

/** A text for others to read: without values that only readers of a Secret may know. */
export function masked(text: string, secrets: Iterable<string>): string {
  const found = [...secrets].flatMap(spellingsOf).filter((each) => each !== '' && text.includes(each));
  if (found.length === 0) return text;
  const longestFirst = found.sort((a, b) => b.length - a.length).map(escapeRegExp);
  return text.replace(new RegExp(longestFirst.join('|'), 'g'), MASK);
}
