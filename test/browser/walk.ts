import type { Page } from 'playwright-core';

/** What somebody sees who has come to an element by Tab. */
interface Stop {
  /** Of its place in the page. */
  readonly index: number;
  readonly text: string;
  /** What is wrong with it, in words. */
  readonly findings: readonly string[];
}

/** More stops than any page has. */
const MOST_STOPS = 1_500;

/** Where Tab stops, in the order of the page; what cannot be seen, is folded or disabled is no stop. */
const STOPS = `
  [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((each) =>
    each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }))`;

/** The ring has a width and a colour of its own. What is covered, e.g. by a head that stays, cannot be seen. */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body || focused === document.documentElement) return null;
  const name = (of) => of.tagName + ' ' + (of.getAttribute('aria-label') ?? of.textContent).slice(0, 40);
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(focused);
  const box = focused.getBoundingClientRect();
  const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
  const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
  const findings = [];
  if (!focused.matches(':focus-visible')) findings.push('shows no focus');
  if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) findings.push('has no ring');
  if (/rgba\\(.*, 0\\)|transparent/.test(outlineColor)) findings.push('has a ring without a colour');
  if (box.width < 1 || box.height < 1) findings.push('has no size');
  else if (right <= left || bottom <= top) findings.push('is off the screen');
  else {
    const parts = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x, y]));
    const isSeen = parts.some(([x, y]) => {
      const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
      return hit !== null && (focused.contains(hit) || hit.contains(focused) && hit.tagName === 'LABEL');
    });
    if (!isSeen) findings.push('is covered');
  }
  if (focused.tabIndex > 0) findings.push('has an order of its own');
  return { index: (${STOPS}).indexOf(focused), text: name(focused), findings };
})()`;

async function stopsOf(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < MOST_STOPS) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<Stop | null>(FOCUSED);
    // Behind the last one is the browser, or the first one again.
    if (stop === null || (stop.index === 0 && stops.length > 0)) return stops;
    stops.push(stop);
  }
  return stops;
}

/** Goes from the first element to the last by Tab alone, and tells what somebody who does so cannot use. */
export async function findingsOfWalk(page: Page): Promise<string[]> {
  await page.evaluate('document.activeElement?.blur(); getSelection()?.removeAllRanges(); scrollTo(0, 0)');
  const expected = await page.evaluate<number>(`(${STOPS}).length`);
  const stops = await stopsOf(page);
  const found = stops.flatMap(({ text, findings }) => findings.map((finding) => `${text} ${finding}`));
  for (const [at, { text, index }] of stops.entries()) {
    if (index !== at) return [...found, `stop ${at} is number ${index} of the page: ${text}`];
  }
  return stops.length === expected ? found : [...found, `${stops.length} of ${expected} can be reached`];
}
